import { type Place, placeInWords } from './whereabouts.ts';

/** The states that lead to a payment come first. */
export const DISBURSEMENT_STATES = [
  ...(['draft', 'submitted', 'approved', 'batched', 'paid'] as const),
  ...(['denied', 'returned', 'cancelled', 'ended'] as const),
];
type Status = (typeof DISBURSEMENT_STATES)[number];

/**
 * A state in words (PAYMENT-3), for filters and other places that know only the status. Where the request itself is shown, its
 * `whereabouts` says more.
 */
export function disbursementStateInWords(status: Status): { words: string; mark: string } {
  if (status === 'batched') return { words: 'Being sent or at the bank', mark: placeInWords('being_sent').mark };
  const place: Place = status === 'submitted' ? 'waiting_for_approval' : status;
  const { label, mark } = placeInWords(place);
  return { words: label, mark };
}

/** The name of a draft for people who cannot read it, and the reason why they see nothing else (DRAFT-1). */
export function unreadDraftWords(status: Status, writer: string): { name: string; why: string } {
  if (status === 'cancelled')
    return {
      name: `${writer}’s unsent request`,
      why: `It was cancelled before it was sent, so only ${writer} can read it.`,
    };
  return { name: `${writer}’s draft`, why: `Only ${writer} can read it until it’s sent.` };
}

const SINCE = ', since ';

/** Whom a request waits for, and since which day in UTC (REQUEST-14). */
export function waitingWords(whatFor: string, sinceDay: string): string {
  return `Waiting for ${whatFor}${SINCE}${sinceDay}`;
}

/** Removes the day, because pages write it in the reader's time zone. */
export function waitingWithoutDay(waitingWords: string): string {
  const end = waitingWords.lastIndexOf(SINCE);
  return end < 0 ? waitingWords : waitingWords.slice(0, end);
}

/** The events in the timeline of a request (REQUEST-15). */
const EVENTS = {
  created: 'Draft started',
  submitted: 'Sent for approval',
  handed_on: 'Passed to another approver',
  receipt_added: 'Receipt added',
  receipt_removed: 'Receipt removed',
  changed: 'Changed after it was sent',
  approval_removed: 'Approval removed: bank account changed',
  approved: 'Approved',
  approval_undone: 'Approval undone',
  denied: 'Denied',
  cancelled: 'Cancelled',
  batched: 'Put into the next bank transfer',
  unbatched: 'Taken out of the bank transfer',
  sent: 'At the bank',
  paid: 'Paid',
  returned: 'Sent back by the bank',
  retried: 'Set to be paid again',
  ended: 'Ended, won’t be paid again',
} as const;
export type DisbursementStep = keyof typeof EVENTS;

export const DISBURSEMENT_STEPS = Object.keys(EVENTS) as DisbursementStep[];

export function disbursementStepInWords(step: DisbursementStep): { words: string; isRefusal: boolean } {
  return { words: EVENTS[step], isRefusal: step === 'denied' || step === 'returned' };
}
