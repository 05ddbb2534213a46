import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { counted } from '@case-platform/words/counts';
import { namePayments } from './name-payments.ts';
import { readPaymentFacts } from './payment-facts.ts';
import { type NotPayable, type NotPayableReason, type PaymentStep, whyNotPayable } from './why-not-payable.ts';

/** Error codes of the reasons that a client can act on. Every other reason is `payee_not_payable`. */
const CODES: Partial<Record<NotPayableReason, string>> = {
  case_ended: 'case_closed',
  payee_left: 'payee_left',
  payee_inactive: 'payee_left',
  under_review: 'under_review',
  account_changed: 'account_changed',
};

/** Errors name this many payments; a batch can have hundreds. */
const NAMED = 10;

/** Lists those of these requests that cannot take a step, with the reason. */
export async function listNotPayable(db: Executor, ids: readonly number[], step: PaymentStep, now: Date): Promise<NotPayable[]> {
  const facts = await readPaymentFacts(db, ids);
  return facts.flatMap((one) => whyNotPayable(one, step, now) ?? []);
}

/**
 * Stops a step if any of these requests cannot be paid (PAYABLE-1). Until the transaction ends, people cannot leave these cases
 * and no payee can be deactivated. The caller must have locked the payees' bank accounts (`lockPayee`, or banking's own lock).
 * @param wayOut what to do about it, after the reasons; by default what the reason says for this step.
 * @throws {ConflictError} with the reason for each request and, for the steps of a batch, what each pays for and to whom; `case_closed`, `payee_left`, `under_review`, or `account_changed` if it is the only
 * kind of reason, otherwise `payee_not_payable`.
 */
export async function requirePayable(
  tx: Transaction,
  ids: readonly number[],
  { step, now, wayOut = '' }: { step: PaymentStep; now: Date; wayOut?: string },
): Promise<void> {
  await lockPayees(tx, ids);
  const problems = await listNotPayable(tx, ids, step, now);
  if (problems.length > 0) throw new ConflictError(await wordsOf(tx, problems, { step, wayOut }), codeOf(problems));
}

/** Locks cases before people, each in the order of ids, like all code that locks both. */
async function lockPayees(tx: Transaction, ids: readonly number[]): Promise<void> {
  const requests = sql`from disbursement_request where id = any(${ids}::bigint[])`;
  await query(tx, sql`select id from case_file where id in (select case_id ${requests}) order by id for share`);
  await query(tx, sql`select id from user_account where id in (select payee_id ${requests}) order by id for share`);
}

/** The ways out of the reasons that stop one request, for callers that give none. */
const WAYS_OUT: Partial<Record<PaymentStep, Partial<Record<NotPayableReason, string>>>> = {
  approve: {
    payee_left: 'Deny the request, or ask the escrow specialist to add them again.',
    payee_inactive: 'Deny the request, or ask the escrow specialist to reactivate it.',
    under_review: 'You can approve it once they’re done.',
  },
  retry: {
    payee_left: 'Add them to the case again, or end the payment.',
    payee_inactive: 'Reactivate it, or end the payment.',
    under_review: 'You can pay it again once that’s done.',
    account_closed: 'Ask them to add it in their profile, then pay it again.',
  },
};

async function wordsOf(
  tx: Transaction,
  problems: readonly NotPayable[],
  { step, wayOut }: { step: PaymentStep; wayOut: string },
): Promise<string> {
  const listedProblems = problems.slice(0, NAMED);
  if (step !== 'send')
    return listedProblems
      .map(({ reason, sentence }) => `${sentence} ${wayOut || (WAYS_OUT[step]?.[reason] ?? '')}`.trim())
      .join(' ');
  const ids = listedProblems.map(({ disbursement_id }) => disbursement_id);
  const names = await namePayments(tx, ids);
  const more = problems.length - NAMED;
  const sentences = listedProblems.map((one) => `${names.get(one.disbursement_id)} can’t be sent: ${one.sentence}`);
  const rest = more > 0 ? [`${counted(more, 'more payment')} can’t be sent either.`] : [];
  return [...sentences, ...rest, wayOut].join(' ').trim();
}

function codeOf(problems: readonly NotPayable[]): string {
  const codes = new Set(problems.map(({ reason }) => CODES[reason] ?? 'payee_not_payable'));
  const [code = 'payee_not_payable'] = codes;
  return codes.size === 1 ? code : 'payee_not_payable';
}
