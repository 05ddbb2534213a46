import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement, DisbursementStatus } from '@case-platform/modules/disbursements';
import type { Clock } from '@case-platform/words/days';
import { disbursementStateInWords, disbursementSteps, waitingWithoutDay } from '@case-platform/words/disbursement-states';
import { placeInWords } from '@case-platform/words/whereabouts';
import { timeElementInText } from '../page/times.ts';

/** A status in words, for the filter. */
export function disbursementStateWords(status: DisbursementStatus): string {
  return disbursementStateInWords(status).words;
}

/** The pill that says where the money of a request is. */
export function disbursementState({ whereabouts }: Pick<Disbursement, 'whereabouts'>): Html {
  const { label, mark } = placeInWords(whereabouts.state);
  return html`<span class="state-pill ${mark}">${label}</span>`;
}

/** Whom a disbursement waits for, and since when by the reader's clock; nothing once it has come to its end. */
export function whomItWaitsFor(
  { waiting_for, waiting_since }: Pick<Disbursement, 'waiting_for' | 'waiting_since'>,
  clock: Clock,
): Html | null {
  if (waiting_for === null) return null;
  const since = waiting_since === null ? '' : html` since ${timeElementInText(waiting_since, clock)}`;
  return html`${waitingWithoutDay(waiting_for)}${since}`;
}

const STEP_LOOKS = { done: 'is-done', now: '', refused: 'is-refused', ahead: '' };

/** How far a disbursement is. */
export function disbursementStepper({
  status,
  submitted_at,
  whereabouts,
}: Pick<Disbursement, 'status' | 'submitted_at' | 'whereabouts'>): Html {
  const bankHasIt = whereabouts.state === 'at_the_bank';
  const items = disbursementSteps(status, submitted_at !== null, bankHasIt).map(({ words, state }) => {
    const current = state === 'now' || state === 'refused' ? html`aria-current="step"` : '';
    return html`<li class="stepper-step ${STEP_LOOKS[state]}" ${current}>${words}</li>`;
  });
  return html`<ol class="stepper batch-stepper" aria-label="Request progress" tabindex="0">${items}</ol>`;
}
