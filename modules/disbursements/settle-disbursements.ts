import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { markScheduledPaymentPaid, reopenScheduledPayment } from '@case-platform/modules/cases';
import { postLedger, postMovements } from '@case-platform/modules/ledger';
import { takesEffect } from '@case-platform/words/bank-reasons';
import { announceDisbursement } from './announce-disbursement.ts';
import { type LockedDisbursement, lockDisbursements } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';

export type BatchedDisbursement = Pick<LockedDisbursement, 'id' | 'case_id' | 'amount_cents' | 'category' | 'payee_id'>;

/**
 * Moves approved requests into a batch, all or none, in the transaction of the `banking` module.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_state` if one of them is not approved.
 */
export async function batchDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy): Promise<BatchedDisbursement[]> {
  const locked = await lockAll(tx, ids);
  for (const request of locked) await moveDisbursement(tx, request, 'batch', { by });
  return locked;
}

/** Makes requests of a cancelled batch available for the next one. @throws as `batchDisbursements`. */
export async function unbatchDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy): Promise<void> {
  for (const request of await lockAll(tx, ids)) {
    await moveDisbursement(tx, request, 'unbatch', { by, changes: { bank_date: null } });
  }
}

/** Stores the effective date of the batch's file, `YYYY-MM-DD`, on its requests. */
export async function setBankDate(tx: Transaction, ids: readonly number[], day: string): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set bank_date = ${day} where id = any(${ids}::bigint[]) and status = 'batched'`,
  );
}

/**
 * Records since when the bank has these payments, so that open pages show it (WHERE-2), and notifies the people who wait for a
 * payment of its arrival day (PAYMENT-1).
 */
export async function announceOnItsWay(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set status_since = now(), updated_at = now()
         where id = any(${ids}::bigint[]) and status = 'batched'`,
  );
  for (const id of ids) await announceDisbursement(tx, { id }, 'on_its_way', now);
}

/**
 * Marks requests as paid: the money leaves their cases, and their scheduled payments are done. @throws as `batchDisbursements`.
 */
export async function payDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy, now: Date): Promise<void> {
  const locked = await lockAll(tx, ids);
  for (const request of locked) await moveDisbursement(tx, request, 'pay', { by, changes: { paid_at: now } });
  await postMovements(
    tx,
    { kind: 'payment', created_by: null },
    locked.map(({ id: disbursement_id, case_id, amount_cents, category: memo }) => {
      return { case_id, amount_cents, disbursement_id, memo };
    }),
  );
  for (const request of locked) {
    const { scheduled_payment_id } = request;
    if (scheduled_payment_id !== null) await markScheduledPaymentPaid(tx, scheduled_payment_id, now);
    await announceDisbursement(tx, request, 'paid', now);
  }
}

/**
 * Marks a payment as returned by the bank, and makes its money available again (RETURN-1). If its batch was not settled yet, the
 * reserved money is released instead (RETURN-6).
 * @param code a return code that takes effect, such as `R01`.
 * @throws {InvalidInputError} for another code (RETURN-9). @throws as `batchDisbursements`.
 */
export async function returnDisbursement(tx: Transaction, id: number, code: string, by: ChangedBy, now: Date): Promise<void> {
  if (!code.startsWith('R') || !takesEffect(code)) throw invalid('return_code', 'Payments don’t come back with this code.');
  for (const request of await lockAll(tx, [id])) {
    const { case_id, amount_cents, category: memo, scheduled_payment_id } = request;
    const changes = { returned_at: now, return_code: code };
    await moveDisbursement(tx, request, 'return', { by, changes, note: { return_code: code } });
    const kind = request.status === 'paid' ? 'return' : 'release';
    await postLedger(tx, { kind, case_id, amount_cents, disbursement_id: id, memo, created_by: null });
    if (scheduled_payment_id !== null) await reopenScheduledPayment(tx, scheduled_payment_id);
    await announceDisbursement(tx, request, 'returned', now);
  }
}

async function lockAll(tx: Transaction, ids: readonly number[]): Promise<LockedDisbursement[]> {
  const wanted = new Set(ids);
  if (wanted.size !== ids.length) throw new ConflictError('A request is named twice.', 'named_twice');
  const locked = await lockDisbursements(tx, ids);
  if (locked.length !== wanted.size) throw new NotFoundError();
  return locked;
}
