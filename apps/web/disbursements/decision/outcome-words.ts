import { exactDayWords } from '@case-platform/words/day-words';
import type { Clock } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { arrivalVerb } from '@case-platform/words/whereabouts';
import type { Disbursement } from '../../api/api-shapes.ts';

/** A decision that the reader has just made, with the request as the API answered. */
export interface Outcome {
  kind: 'approved' | 'denied';
  request: Disbursement;
  /** True if the approval can be undone for some seconds (REQUEST-19). */
  canUndo: boolean;
}

/** Says what happened and what happens next: 'Approved. $300.00 is set aside and should arrive Mon, Nov 30.' */
export function outcomeWords({ kind, request }: Pick<Outcome, 'kind' | 'request'>, clock: Clock): string {
  const { amount_cents, submitted_by, whereabouts } = request;
  if (kind === 'denied') return `Denied. ${submitted_by.name} can read your reason, and nothing is paid.`;
  const { arrives, state, why } = whereabouts;
  const day = arrives === null ? '' : ` and ${arrivalVerb(whereabouts)} ${exactDayWords(arrives.date, clock)}`;
  const hold = state === 'on_hold' && why !== null ? ` It’s on hold: ${why}` : '';
  return `Approved. ${moneyWords(amount_cents)} is set aside${day}.${hold}`;
}
