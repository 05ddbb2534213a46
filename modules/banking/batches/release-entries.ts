import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { unbatchDisbursements } from '@case-platform/modules/disbursements';

/** Takes entries out of their batch. Their requests are approved again, and free for another batch (BATCH-6). */
export async function releaseEntries(
  tx: Transaction,
  batchId: number,
  disbursementIds: readonly number[],
  by: ChangedBy,
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`update banking_batch_entry set released_at = now()
         where batch_id = ${batchId} and disbursement_id = any(${disbursementIds}::bigint[]) and released_at is null`,
  );
  await unbatchDisbursements(tx, disbursementIds, by, now);
  await updateBatchTotals(tx, batchId);
}

/** Updates a batch's count and total from its entries. */
export async function updateBatchTotals(tx: Transaction, batchId: number): Promise<number> {
  const [totals] = await query<{ entry_count: number }>(
    tx,
    sql`update banking_batch b set entry_count = e.count, total_cents = e.total
          from (select count(*)::int as count, coalesce(sum(amount_cents), 0)::bigint as total
                  from banking_batch_entry where batch_id = ${batchId} and released_at is null) e
         where b.id = ${batchId} returning b.entry_count`,
  );
  return totals?.entry_count ?? 0;
}

/** The requests that a batch pays, without those that were taken out or sent back by the bank. */
export async function listEntryIds(tx: Transaction, batchId: number): Promise<number[]> {
  const rows = await query<{ disbursement_id: number }>(
    tx,
    sql`select disbursement_id from banking_batch_entry where batch_id = ${batchId} and released_at is null and returned_at is null
         order by disbursement_id`,
  );
  return rows.map(({ disbursement_id }) => disbursement_id);
}
