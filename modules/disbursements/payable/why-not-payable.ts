import { needsOtherAccount } from '@case-platform/words/bank-reasons';

/** The facts that decide whether one request can be paid, read by `readPaymentFacts`. */
export interface PaymentFacts {
  disbursement_id: number;
  payee_name: string;
  payee_status: 'invited' | 'active' | 'deactivated';
  /** True if the payee is on the case, or wrote the request and still sees the case. */
  payee_belongs: boolean;
  case_status: string;
  /** True while someone's alarm about the payee is not cleared (BANK-10). */
  is_under_review: boolean;
  /** True once the file of its batch was released, so that the bank may have it. */
  file_is_out: boolean;
  /** In a batch, the account of the batch; otherwise the payee's current one; null without one. */
  account: AccountFacts | null;
}

interface AccountFacts {
  /** Nothing is paid to it before this time. */
  usable_from: Date;
  /** The bank's code for a problem with the account: a return (`R02`) or a correction (`C01`). */
  flag_code: string | null;
  /** True if the payee has another account now, or the request was approved for another one (BANK-8). */
  is_replaced: boolean;
}

/**
 * The step that a request is about to take. `send` is every step of a batch: gathering and approving it, and making, signing, and
 * releasing its file.
 */
export type PaymentStep = 'submit' | 'approve' | 'retry' | 'send';

export type NotPayableReason = keyof typeof REASONS;

export interface NotPayable {
  disbursement_id: number;
  reason: NotPayableReason;
  sentence: string;
}

interface Reason {
  applies: (facts: PaymentFacts, now: Date) => boolean;
  sentence: (payeeName: string) => string;
  stops: readonly PaymentStep[];
}

const EVERY_STEP: readonly PaymentStep[] = ['submit', 'approve', 'retry', 'send'];

/**
 * All reasons, in the order in which people see them (PAYABLE-1). A reason about the payee or the case stops every step. An
 * account that cannot be paid yet stops only the batch: the approval stands, and the payment goes out once the account can be
 * used (PAYABLE-2). A case on hold still pays.
 */
const REASONS = {
  case_ended: {
    applies: ({ case_status }) => case_status === 'closed' || case_status === 'cancelled',
    sentence: () => 'The case is closed.',
    stops: EVERY_STEP,
  },
  payee_left: {
    applies: ({ payee_belongs }) => !payee_belongs,
    sentence: (name) => `${name} is no longer on this case.`,
    stops: EVERY_STEP,
  },
  payee_inactive: {
    applies: ({ payee_status }) => payee_status !== 'active',
    sentence: (name) => `${name}’s sign-in isn’t active.`,
    stops: EVERY_STEP,
  },
  under_review: {
    applies: ({ is_under_review }) => is_under_review,
    // The payee reads this too, and may learn neither that there was an alarm nor whose it was (BANK-10).
    sentence: () => 'Our team is checking this payment.',
    stops: ['approve', 'retry', 'send'],
  },
  account_changed: {
    applies: ({ account }) => account?.is_replaced === true,
    sentence: (name) => `${name}’s bank account was changed.`,
    stops: ['send'],
  },
  no_account: {
    applies: ({ account }) => account === null,
    sentence: (name) => `${name} hasn’t added a bank account yet.`,
    stops: ['send'],
  },
  account_waits: {
    applies: ({ account }, now) => account !== null && account.usable_from > now,
    sentence: (name) => `${name} changed their bank account, and we can’t use it yet.`,
    stops: ['send'],
  },
  account_closed: {
    applies: ({ account }) => needsOtherAccount(account?.flag_code ?? ''),
    sentence: (name) => `${name} needs to add another bank account because the bank sent a payment back.`,
    stops: ['retry', 'send'],
  },
} as const satisfies Record<string, Reason>;

export const NOT_PAYABLE_REASONS = Object.keys(REASONS) as NotPayableReason[];

/** @returns the first reason that stops the step; null for none, and once the file was released, because nothing stops it then. */
export function whyNotPayable(facts: PaymentFacts, step: PaymentStep, now: Date): NotPayable | null {
  const { disbursement_id, payee_name, file_is_out } = facts;
  if (file_is_out) return null;
  for (const reason of NOT_PAYABLE_REASONS) {
    const { applies, sentence, stops }: Reason = REASONS[reason];
    if (stops.includes(step) && applies(facts, now)) return { disbursement_id, reason, sentence: sentence(payee_name) };
  }
  return null;
}

/** True if no day is known on which the payment can leave. */
export function hasNoDate(facts: PaymentFacts, now: Date): boolean {
  const problem = whyNotPayable(facts, 'send', now);
  return problem !== null && problem.reason !== 'account_waits' && problem.reason !== 'no_account';
}
