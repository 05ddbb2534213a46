/**
 * The states of a request in words for people (PAYMENT-3), for filters and other places that know only the status. Where the
 * request itself is shown, its `whereabouts` says more.
 */
const STATES = {
  draft: { words: 'Draft', mark: '', steps: 0 },
  submitted: { words: 'Waiting for approval', mark: 'is-waiting', steps: 1 },
  approved: { words: 'Approved', mark: 'is-active', steps: 2 },
  denied: { words: 'Denied', mark: 'is-refused', steps: 2 },
  batched: { words: 'Being sent or at the bank', mark: 'is-active', steps: 3 },
  paid: { words: 'Paid', mark: 'is-done', steps: 5 },
  returned: { words: 'Sent back', mark: 'is-refused', steps: 4 },
  cancelled: { words: 'Cancelled', mark: '', steps: 1 },
  ended: { words: 'Ended', mark: '', steps: 4 },
} as const;

type Status = keyof typeof STATES;

/** The states that lead to a payment come first. */
export const DISBURSEMENT_STATES: readonly Status[] = [
  ...(['draft', 'submitted', 'approved', 'batched', 'paid'] as const),
  ...(['denied', 'returned', 'cancelled', 'ended'] as const),
];

export function disbursementStateInWords(status: Status): { words: string; mark: (typeof STATES)[Status]['mark'] } {
  return STATES[status];
}

export interface LifeStep {
  words: string;
  state: 'done' | 'now' | 'refused' | 'ahead';
}

const LIFE = ['Draft', 'Sent', 'Approved', 'At the bank', 'Paid'];
const ENDS: readonly Status[] = ['denied', 'returned', 'cancelled', 'ended'];

/** The steps of a request that are done, current, and ahead, or the steps up to where it ended unpaid. */
export function disbursementSteps(status: Status, wasSubmitted: boolean, bankHasIt = false): LifeStep[] {
  const { words, steps } = STATES[status];
  const behind = status === 'cancelled' && wasSubmitted ? steps + 1 : steps;
  if (!ENDS.includes(status)) {
    const life = status === 'batched' && !bankHasIt ? LIFE.with(3, 'Being sent') : LIFE;
    return life.map((step, at) => ({ words: step, state: at < behind ? 'done' : at === behind ? 'now' : 'ahead' }));
  }
  const passed = LIFE.slice(0, behind).map((step): LifeStep => ({ words: step, state: 'done' }));
  return [...passed, { words, state: 'refused' }];
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
