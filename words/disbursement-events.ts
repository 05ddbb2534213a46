/** What can happen to a request for money, as its timeline tells it (decisions, section 14). */
const EVENTS = {
  created: 'Draft started',
  submitted: 'Sent for approval',
  handed_on: 'Passed to another approver',
  receipt_added: 'Receipt added',
  receipt_removed: 'Receipt removed',
  changed: 'Changed, so it is a draft again',
  approved: 'Approved',
  denied: 'Denied',
  cancelled: 'Cancelled',
  batched: 'Put into the next bank transfer',
  unbatched: 'Taken out of the bank transfer',
  paid: 'Paid',
  returned: 'Sent back by the bank',
  retried: 'Set to be paid again',
} as const;
export type DisbursementStep = keyof typeof EVENTS;

export const DISBURSEMENT_STEPS = Object.keys(EVENTS) as DisbursementStep[];

/** A step in words, and whether it is one that stops the money. */
export function disbursementStepInWords(step: DisbursementStep): { words: string; isRefusal: boolean } {
  return { words: EVENTS[step], isRefusal: step === 'denied' || step === 'returned' };
}
