import type { ChangedBy } from '@case-platform/lib/audit';
import { type Database, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { batchDisbursements, namePayments, requirePayable } from '@case-platform/modules/disbursements';
import { lockBanking } from '../banking-lock.ts';
import { SAME_DAY_MAX_CENTS } from '../nacha/limits.ts';
import { moveBatch } from './batch.ts';
import { updateBatchTotals } from './release-entries.ts';

/** The most requests in one batch. Settling this many, all of one case, stays well within the 15 seconds of a statement. */
export const GATHER_MAX = 500;

const LEAVE_OUT = 'Make the batch without what can’t be sent. “Left out” says what to do about each payment.';

interface Gathering {
  disbursement_ids: readonly number[];
  same_day: boolean;
}

/**
 * Gathers approved requests into a new draft batch, all of them or none (BATCH-2).
 * @returns the batch's id.
 * @throws {InvalidInputError} for no or too many requests.
 * @throws {ConflictError} when a request is not approved, is already in a batch, or has a payee who cannot be paid now.
 */
export async function gatherBatch(
  db: Database,
  { disbursement_ids, same_day }: Gathering,
  by: ChangedBy,
  now: Date,
): Promise<number> {
  const ids = [...new Set(disbursement_ids)].sort((a, b) => a - b);
  if (ids.length === 0) throw invalid('disbursement_ids', 'Choose at least one payment.');
  if (ids.length > GATHER_MAX) throw invalid('disbursement_ids', `A batch can hold up to ${GATHER_MAX} payments. Choose fewer.`);
  try {
    return await db.transaction(async (tx) => {
      await lockBanking(tx);
      const requests = await batchDisbursements(tx, ids, by, now);
      await requirePayable(tx, ids, { step: 'send', now, wayOut: LEAVE_OUT });
      if (same_day) await requireSameDayAmounts(tx, requests);
      const batchId = await insertBatch(tx, same_day, by);
      await insertEntries(tx, batchId, ids);
      await updateBatchTotals(tx, batchId);
      await moveBatch(tx, { id: batchId, status: null }, { to: 'draft', by, action: 'create', after: { disbursement_ids: ids } });
      return batchId;
    });
  } catch (error) {
    // The lock already prevents this; the unique index makes sure.
    if (isUniqueViolation(error, 'banking_batch_entry_live_idx'))
      throw new ConflictError('Another batch has one of these payments now. Check your choice again.', 'in_batch');
    throw error;
  }
}

async function requireSameDayAmounts(tx: Transaction, requests: readonly { id: number; amount_cents: number }[]): Promise<void> {
  const tooLarge = requests.find(({ amount_cents }) => amount_cents > SAME_DAY_MAX_CENTS);
  if (tooLarge === undefined) return;
  const name = (await namePayments(tx, [tooLarge.id])).get(tooLarge.id);
  const words = `${name} is over $1,000,000.00, the limit for same-day ACH. Leave it out, or make the batch without same-day ACH.`;
  throw new ConflictError(words, 'too_large');
}

async function insertBatch(tx: Transaction, same_day: boolean, by: ChangedBy): Promise<number> {
  const [batch] = await query<{ id: number }>(
    tx,
    sql`insert into banking_batch (status, created_by, same_day, entry_count, total_cents)
        values ('draft', ${by.actor?.id ?? null}, ${same_day}, 0, 0) returning id`,
  );
  return batch?.id ?? 0;
}

async function insertEntries(tx: Transaction, batchId: number, ids: readonly number[]): Promise<void> {
  await query(
    tx,
    sql`insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents)
        select ${batchId}, d.id, a.id, d.amount_cents
          from disbursement_request d join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
         where d.id = any(${ids}::bigint[]) order by d.id`,
  );
}
