import { ConflictError } from '@case-platform/lib/errors';

/** The states of a request for money (REQUEST-1). */
export const DISBURSEMENT_STATUSES = [
  'draft',
  'submitted',
  'approved',
  'denied',
  'batched',
  'paid',
  'returned',
  'cancelled',
  'ended',
] as const;
export type DisbursementStatus = (typeof DISBURSEMENT_STATUSES)[number];

type Moves = Partial<Record<DisbursementStatus, DisbursementStatus>>;

/**
 * Every command, and the state that it leads to from each state in which it is possible (REQUEST-1). `undo_approval` is possible
 * for a few seconds (REQUEST-19). `revise` is a change of
 * payee or amount, or of the payee's bank account; `retry` pays a returned request again, and `end` decides that it is not; the last four belong to batches and the
 * bank.
 */
export const MOVES = {
  submit: { draft: 'submitted' },
  approve: { submitted: 'approved' },
  undo_approval: { approved: 'submitted' },
  deny: { submitted: 'denied' },
  cancel: { draft: 'cancelled', submitted: 'cancelled' },
  revise: { draft: 'draft', submitted: 'draft', approved: 'draft' },
  retry: { returned: 'approved' },
  end: { returned: 'ended' },
  batch: { approved: 'batched' },
  unbatch: { batched: 'approved' },
  pay: { batched: 'paid' },
  return: { batched: 'returned', paid: 'returned' },
} as const satisfies Record<string, Moves>;
export type DisbursementCommand = keyof typeof MOVES;

const WORDS: Record<DisbursementStatus, string> = {
  draft: 'still a draft',
  submitted: 'waiting for approval',
  approved: 'approved',
  denied: 'denied',
  batched: 'on its way to the bank',
  paid: 'paid',
  returned: 'returned by the bank',
  cancelled: 'cancelled',
  ended: 'ended and won’t be paid again',
};

/** @throws {ConflictError} `wrong_state` when the command is not possible in this state. */
export function nextStatus(command: DisbursementCommand, status: DisbursementStatus): DisbursementStatus {
  const moves: Moves = MOVES[command];
  const next = moves[status];
  if (next === undefined) {
    throw new ConflictError(`This request is ${WORDS[status]}, so you can’t do this now.`, 'wrong_state');
  }
  return next;
}
