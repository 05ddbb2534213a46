import { ConflictError } from '@case-platform/lib/errors';
import type { LedgerKind } from '@case-platform/modules/ledger';
import type { MovedBecause } from '@case-platform/words/whereabouts';

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

/** The steps that people are notified of, and who they are. `listRecipients` finds them. */
export const NOTIFIED = {
  submitted: 'the approver; without one, staff who may approve it',
  approved: 'the surrogate and the parents',
  denied: 'the maker and the escrow specialist',
  on_its_way: 'the payee and the maker',
  paid: 'the payee and the maker',
  returned: 'the payee and the maker',
  ended: 'the payee, the maker, the approver, and the parents',
  date_moved: 'the payee, the maker, and the approver',
} as const;
/** The steps with a notice of their own; all days that one cause moves share one (`announceMoves`). */
export type DisbursementEvent = Exclude<keyof typeof NOTIFIED, 'date_moved'>;

/** The conditions of a step. `requireGuards` has the function of each one. */
export const GUARDS = {
  maker: 'by its maker, or staff with `edit_drs`',
  approver: 'by its approver, or staff with `approve_drs`, without a part in it',
  escrow_specialist: 'by an admin with `edit_drs` who sees the case',
  state: 'in a state of this table',
  version_seen: 'the version that was seen is the current one',
  open_case: 'the case is open',
  account_seen: 'a bank account that changed since an earlier approval was seen',
  payee_can_be_paid: 'the payee can be paid',
  undoable: 'by the person who approved it, a few seconds ago',
  return_cleared: 'the cause of the return is cleared',
  matches_plan: 'it matches its scheduled payment',
  plan_is_free: 'no other request claims its scheduled payment',
  funds: 'the case has the money',
  limit_explained: 'an amount above the contract limit has a reason',
} as const;
export type Guard = keyof typeof GUARDS;

export interface Move {
  from: DisbursementStatus;
  to: DisbursementStatus;
  /** The kind of movement that the step posts to the ledger; none if unset. */
  posts?: LedgerKind;
  /** The event that people are notified of; none if unset. */
  notifies?: DisbursementEvent;
}

export interface Command {
  /** Checked in this order. Steps of batches and the bank are checked by the `banking` module. */
  guards: readonly Guard[];
  moves: readonly Move[];
  /**
   * The arrival day (WHERE-3): the step promises one, or compares it with the promised one and, if it moved, gives this reason. After
   * `send`, the notice of the step itself names the day.
   */
  dates?: 'promised' | 'sent' | MovedBecause;
}

/**
 * The life of a request: every command with its guards and, for each state in which it is possible, the next state, the posting, and
 * the notice. `moveDisbursement` takes the steps, and docs/request-states.md is generated from this.
 */
export const COMMANDS = {
  submit: {
    guards: ['maker', 'state', 'open_case', 'payee_can_be_paid', 'matches_plan', 'plan_is_free'],
    moves: [{ from: 'draft', to: 'submitted', notifies: 'submitted' }],
    dates: 'promised',
  },
  approve: {
    guards: ['approver', 'version_seen', 'state', 'open_case', 'account_seen', 'payee_can_be_paid', 'funds', 'limit_explained'],
    moves: [{ from: 'submitted', to: 'approved', posts: 'hold', notifies: 'approved' }],
    dates: 'not_approved',
  },
  /** Possible for a few seconds after an approval that was given as undoable (REQUEST-19). */
  undo_approval: {
    guards: ['state', 'undoable'],
    moves: [{ from: 'approved', to: 'submitted', posts: 'release' }],
  },
  deny: {
    guards: ['approver', 'version_seen', 'state'],
    moves: [{ from: 'submitted', to: 'denied', notifies: 'denied' }],
  },
  cancel: {
    guards: ['maker', 'state'],
    moves: [
      { from: 'draft', to: 'cancelled' },
      { from: 'submitted', to: 'cancelled' },
    ],
  },
  /** A change of the request; after submission only of its payee or amount (REQUEST-8). */
  revise: {
    guards: ['maker', 'state', 'open_case'],
    moves: [
      { from: 'draft', to: 'draft' },
      { from: 'submitted', to: 'draft' },
      { from: 'approved', to: 'draft', posts: 'release' },
    ],
  },
  /** The approval was for another bank account (BANK-8). The change of the account notifies people of all its requests. */
  remove_approval: {
    guards: [],
    moves: [{ from: 'approved', to: 'draft', posts: 'release' }],
  },
  batch: {
    guards: [],
    moves: [{ from: 'approved', to: 'batched' }],
  },
  /** The arrival day moves after it is known which approvals stay valid; see `removeOutdatedApprovals`. */
  unbatch: {
    guards: [],
    moves: [{ from: 'batched', to: 'approved' }],
  },
  /** Someone recorded that the bank has the file, or a return proved it (WHERE-2). */
  send: {
    guards: [],
    moves: [{ from: 'batched', to: 'batched', notifies: 'on_its_way' }],
    dates: 'sent',
  },
  pay: {
    guards: [],
    moves: [{ from: 'batched', to: 'paid', posts: 'payment', notifies: 'paid' }],
  },
  return: {
    guards: [],
    moves: [
      { from: 'batched', to: 'returned', posts: 'release', notifies: 'returned' },
      { from: 'paid', to: 'returned', posts: 'return', notifies: 'returned' },
    ],
  },
  retry: {
    guards: [
      'escrow_specialist',
      'state',
      'version_seen',
      'open_case',
      'return_cleared',
      'payee_can_be_paid',
      'plan_is_free',
      'funds',
    ],
    moves: [{ from: 'returned', to: 'approved', posts: 'hold' }],
    dates: 'promised',
  },
  end: {
    guards: ['escrow_specialist', 'state', 'version_seen'],
    moves: [{ from: 'returned', to: 'ended', notifies: 'ended' }],
  },
} as const satisfies Record<string, Command>;
export type DisbursementCommand = keyof typeof COMMANDS;

const WORDS: Record<DisbursementStatus, string> = {
  draft: 'still a draft',
  submitted: 'waiting for approval',
  approved: 'approved',
  denied: 'denied',
  batched: 'being sent or at the bank',
  paid: 'paid',
  returned: 'returned by the bank',
  cancelled: 'cancelled',
  ended: 'ended and won’t be paid again',
};

/**
 * @param name of the request, for an error about one of several.
 * @throws {ConflictError} `wrong_state` when the command is not possible in this state.
 */
export function getMove(command: DisbursementCommand, status: DisbursementStatus, name = 'This request'): Move {
  const moves: readonly Move[] = COMMANDS[command].moves;
  const move = moves.find(({ from }) => from === status);
  if (move === undefined) {
    throw new ConflictError(`${name} is ${WORDS[status]}, so you can’t do this now.`, 'wrong_state');
  }
  return move;
}
