import { html } from '@case-platform/lib/html';
import type { Disbursement, DisbursementStatus } from '@case-platform/modules/disbursements';
import type { Clock } from '@case-platform/words/days';
import { disbursementStateInWords, waitingWithoutDay } from '@case-platform/words/disbursement-states';
import { timeElementInText } from '../page/times.ts';

/** The state of a disbursement in words. */
export function disbursementStateWords(status: DisbursementStatus): string {
  return disbursementStateInWords(status).words;
}

/** The state of a disbursement as a pill. */
export function disbursementState(status: DisbursementStatus): string {
  const { words, mark } = disbursementStateInWords(status);
  return html`<span class="state-pill ${mark}">${words}</span>`;
}

/** Whom a disbursement waits for, and since when by the reader's clock; nothing once it has come to its end. */
export function whomItWaitsFor(
  { waiting_for, waiting_since }: Pick<Disbursement, 'waiting_for' | 'waiting_since'>,
  clock: Clock,
): string {
  if (waiting_for === null) return '';
  const since = waiting_since === null ? '' : html` since !${timeElementInText(waiting_since, clock)}`;
  return html`${waitingWithoutDay(waiting_for)}!${since}`;
}
