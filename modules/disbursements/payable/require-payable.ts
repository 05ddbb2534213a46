import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
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
 * @param wayOut what to do about it, after the reasons.
 * @throws {ConflictError} with the reason for each request; `case_closed`, `payee_left`, `under_review`, or `account_changed` if it is the only
 * kind of reason, otherwise `payee_not_payable`.
 */
export async function requirePayable(
  tx: Transaction,
  ids: readonly number[],
  { step, now, wayOut = '' }: { step: PaymentStep; now: Date; wayOut?: string },
): Promise<void> {
  await lockPayees(tx, ids);
  const problems = await listNotPayable(tx, ids, step, now);
  if (problems.length > 0) throw new ConflictError(wordsOf(problems, { step, wayOut }), codeOf(problems));
}

/** Locks cases before people, each in the order of ids, like all code that locks both. */
async function lockPayees(tx: Transaction, ids: readonly number[]): Promise<void> {
  const requests = sql`from disbursement_request where id = any(${ids}::bigint[])`;
  await query(tx, sql`select id from case_file where id in (select case_id ${requests}) order by id for share`);
  await query(tx, sql`select id from user_account where id in (select payee_id ${requests}) order by id for share`);
}

function wordsOf(problems: readonly NotPayable[], { step, wayOut }: { step: PaymentStep; wayOut: string }): string {
  const more = problems.length - NAMED;
  const sentences = problems.slice(0, NAMED).map(({ disbursement_id, sentence }) => {
    return step === 'send' ? `Request ${disbursement_id} can’t be paid: ${sentence}` : sentence;
  });
  const rest = more > 0 ? [`${more} more can’t be paid either.`] : [];
  return [...sentences, ...rest, ...(wayOut === '' ? [] : [wayOut])].join(' ');
}

function codeOf(problems: readonly NotPayable[]): string {
  const codes = new Set(problems.map(({ reason }) => CODES[reason] ?? 'payee_not_payable'));
  const [code = 'payee_not_payable'] = codes;
  return codes.size === 1 ? code : 'payee_not_payable';
}
