import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement, DisbursementStatus } from '@case-platform/modules/disbursements';
import type { Clock } from '@case-platform/words/days';
import { disbursementStateInWords, waitingWithoutDay } from '@case-platform/words/disbursement-states';
import { arrivalVerb, placeInWords, placeSteps } from '@case-platform/words/whereabouts';
import { arrivalElement, timeElementInText } from '../page/times.ts';

/** A status in words, for the filter. */
export function disbursementStateWords(status: DisbursementStatus): string {
  return disbursementStateInWords(status).words;
}

/** The pill that says where the money of a request is. */
export function disbursementState({ whereabouts }: Pick<Disbursement, 'whereabouts'>): Html {
  const { label, mark } = placeInWords(whereabouts.state);
  return html`<span class="state-pill ${mark}">${label}</span>`;
}

/** Says whom a request waits for, and since when by the reader's clock; nothing once it has ended. */
export function whomItWaitsFor(
  { waiting_for, waiting_since }: Pick<Disbursement, 'waiting_for' | 'waiting_since'>,
  clock: Clock,
): Html | null {
  if (waiting_for === null) return null;
  const since = waiting_since === null ? '' : html` since ${timeElementInText(waiting_since, clock)}`;
  return html`${waitingWithoutDay(waiting_for)}${since}`;
}

const STEP_LOOKS = { done: 'is-done', now: '', refused: 'is-refused', ahead: '' };

/** The steps of a request, with its current one. */
export function disbursementStepper({ submitted_at, whereabouts }: Pick<Disbursement, 'submitted_at' | 'whereabouts'>): Html {
  const items = placeSteps(whereabouts.state, submitted_at !== null).map(({ words, state }) => {
    const current = state === 'now' || state === 'refused' ? html`aria-current="step"` : '';
    return html`<li class="stepper-step ${STEP_LOOKS[state]}" ${current}>${words}</li>`;
  });
  return html`<ol class="stepper batch-stepper" aria-label="Request progress" tabindex="0">${items}</ol>`;
}

/** When the money arrives, with the earlier day if it moved; null while no day is or was known (WHERE-3). */
export function arrival({ whereabouts }: Pick<Disbursement, 'whereabouts'>, clock: Clock): Html | null {
  const { arrives, was } = whereabouts;
  const before = was === null ? '' : html` (was ${arrivalElement(was, clock)})`;
  if (arrives !== null) return html`${arrivalVerb(whereabouts)} ${arrivalElement(arrives.date, clock)}${before}`;
  return was === null ? null : html`no day is known now${before}`;
}
