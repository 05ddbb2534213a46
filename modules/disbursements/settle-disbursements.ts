import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { markScheduledPaymentPaid, reopenScheduledPayment } from '@case-platform/modules/cases';
import { takesEffect } from '@case-platform/words/bank-reasons';
import { getMove } from './disbursement-states.ts';
import { type LockedDisbursement, lockDisbursements } from './lock-disbursement.ts';
import { moveDisbursements } from './move-disbursement.ts';
import { namePayments } from './payable/name-payments.ts';
import { moveDates } from './whereabouts/move-dates.ts';

export type BatchedDisbursement = Pick<LockedDisbursement, 'id' | 'case_id' | 'amount_cents' | 'category' | 'payee_id'>;

/**
 * Moves approved requests into a batch, all or none, in the transaction of the `banking` module.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_state` if one of them is not approved.
 */
export async function batchDisbursements(
  tx: Transaction,
  ids: readonly number[],
  by: ChangedBy,
  now: Date,
): Promise<BatchedDisbursement[]> {
  const requests = await lockAll(tx, ids);
  const other = requests.find(({ status }) => status !== 'approved');
  if (other !== undefined) getMove('batch', other.status, (await namePayments(tx, [other.id])).get(other.id));
  await moveDisbursements(tx, requests, 'batch', { by, now });
  return requests;
}

/**
 * Makes requests of a cancelled batch available for the next one. The caller moves their arrival days (`moveDates`), once it knows
 * which approvals stay valid. @throws as `batchDisbursements`.
 */
export async function unbatchDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy, now: Date): Promise<void> {
  await moveDisbursements(tx, await lockAll(tx, ids), 'unbatch', { by, now, changes: { bank_date: null } });
}

/** Stores the effective date of the batch's file, `YYYY-MM-DD`, on its requests, which the caller has locked. */
export async function setBankDate(tx: Transaction, ids: readonly number[], day: string, now: Date): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set bank_date = ${day} where id = any(${ids}::bigint[]) and status = 'batched'`,
  );
  await moveDates(tx, ids, { now, because: 'not_sent' });
}

/**
 * Records since when the bank has these payments (WHERE-2), and notifies the people who wait for a payment of its arrival day
 * (PAYMENT-1). @throws as `batchDisbursements`.
 */
export async function sendDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy, now: Date): Promise<void> {
  await moveDisbursements(tx, await lockAll(tx, ids), 'send', { by, now });
}

/**
 * Marks requests as paid: the money leaves their cases, and their scheduled payments are done. @throws as `batchDisbursements`.
 */
export async function payDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy, now: Date): Promise<void> {
  const requests = await lockAll(tx, ids);
  await moveDisbursements(tx, requests, 'pay', { by, now, changes: { paid_at: now } });
  for (const { scheduled_payment_id } of requests)
    if (scheduled_payment_id !== null) await markScheduledPaymentPaid(tx, scheduled_payment_id, now);
}

/**
 * Marks a payment as returned by the bank, and makes its money available again (RETURN-1). If its batch was not settled yet, the
 * reserved money is released instead (RETURN-6).
 * @param code a return code that takes effect, such as `R01`.
 * @throws {InvalidInputError} for another code (RETURN-9). @throws as `batchDisbursements`.
 */
export async function returnDisbursement(tx: Transaction, id: number, code: string, by: ChangedBy, now: Date): Promise<void> {
  if (!code.startsWith('R') || !takesEffect(code)) throw invalid('return_code', 'Payments don’t come back with this code.');
  const requests = await lockAll(tx, [id]);
  const changes = { returned_at: now, return_code: code };
  await moveDisbursements(tx, requests, 'return', { changes, by, now, note: { return_code: code } });
  for (const { scheduled_payment_id } of requests)
    if (scheduled_payment_id !== null) await reopenScheduledPayment(tx, scheduled_payment_id);
}

async function lockAll(tx: Transaction, ids: readonly number[]): Promise<LockedDisbursement[]> {
  const different = new Set(ids);
  if (different.size !== ids.length) throw new ConflictError('A request is named twice.', 'named_twice');
  const requests = await lockDisbursements(tx, ids);
  if (requests.length !== different.size) throw new NotFoundError();
  return requests;
}
