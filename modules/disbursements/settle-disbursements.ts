import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { markScheduledPaymentPaid, reopenScheduledPayment } from '@case-platform/modules/cases';
import { postLedger, postMovements } from '@case-platform/modules/ledger';
import { announceDisbursement } from './announce-disbursement.ts';
import { type LockedDisbursement, lockDisbursements } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { reviseDisbursement } from './update-disbursement.ts';

/** What a batch needs of a request that it takes up. */
export type BatchedDisbursement = Pick<LockedDisbursement, 'id' | 'case_id' | 'amount_cents' | 'category' | 'payee_id'>;

/**
 * Takes approved requests into a batch, all or none. For the module `banking`, in its transaction.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_state` when one of them is not approved (any more).
 */
export async function batchDisbursements(
  tx: Transaction,
  ids: readonly number[],
  by: ChangedBy,
): Promise<BatchedDisbursement[]> {
  const locked = await lockAll(tx, ids);
  for (const request of locked) await moveDisbursement(tx, request, 'batch', { by });
  return locked;
}

/** Gives requests of a batch that was cancelled back to those that wait for one. @throws as `batchDisbursements`. */
export async function unbatchDisbursements(tx: Transaction, ids: readonly number[], by: ChangedBy): Promise<void> {
  for (const request of await lockAll(tx, ids)) {
    await moveDisbursement(tx, request, 'unbatch', { by, changes: { bank_date: null } });
  }
}

/** Notes the day, `YYYY-MM-DD`, that the batch's file names: when the money is at the bank. */
export async function setBankDate(tx: Transaction, ids: readonly number[], day: string): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set bank_date = ${day} where id = any(${ids}::bigint[]) and status = 'batched'`,
  );
}

/** Notifies the people who wait for a payment of the day on which it arrives, now that the bank has the file (PAYMENT-1). */
export async function announceOnItsWay(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  for (const id of ids) await announceDisbursement(tx, { id }, 'on_its_way', now);
}

/** The bank has paid: the money leaves the case, and a scheduled payment is done. @throws as `batchDisbursements`. */
export async function payDisbursements(
  tx: Transaction,
  ids: readonly number[],
  by: ChangedBy,
  now: Date,
): Promise<void> {
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
 * The bank has sent a payment back: the money is the case's again. Before its batch was settled nothing had been paid, so that
 * what was set aside is given back (RETURN-6).
 * @param code the bank's reason, `R01` to `R99`.
 * @throws {InvalidInputError} for another code. @throws as `batchDisbursements`.
 */
export async function returnDisbursement(
  tx: Transaction,
  id: number,
  code: string,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  if (!/^R\d\d$/.test(code)) throw invalid('return_code', 'A return code is R and two digits.');
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

/**
 * Sends back what was approved for somebody and is not in a batch yet, because the account that it would go to has changed:
 * each is a draft again, and its maker is told.
 * @returns how many.
 */
export async function sendBackApprovals(tx: Transaction, payeeId: number, by: ChangedBy, now: Date): Promise<number> {
  const rows = await query<{ id: number }>(
    tx,
    sql`select id from disbursement_request where payee_id = ${payeeId} and status = 'approved'`,
  );
  const locked = await lockDisbursements(
    tx,
    rows.map(({ id }) => id),
  );
  const approved = locked.filter(({ status }) => status === 'approved');
  for (const request of approved) {
    await reviseDisbursement(tx, request, { by, note: { reason: 'bank_account_changed' } });
    await announceDisbursement(tx, request, 'sent_back', now);
  }
  return approved.length;
}

async function lockAll(tx: Transaction, ids: readonly number[]): Promise<LockedDisbursement[]> {
  const wanted = new Set(ids);
  if (wanted.size !== ids.length) throw new ConflictError('A request is named twice.', 'named_twice');
  const locked = await lockDisbursements(tx, ids);
  if (locked.length !== wanted.size) throw new NotFoundError();
  return locked;
}
