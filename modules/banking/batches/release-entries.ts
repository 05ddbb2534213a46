import type { ChangedBy } from '@case-platform/lib/audit';
import { run, type Transaction } from '@case-platform/lib/database';
import { unbatchDisbursements } from '@case-platform/modules/disbursements';

/** Takes entries out of their batch: their requests are approved ones again, free for another batch. */
export async function releaseEntries(
  tx: Transaction,
  batchId: number,
  disbursementIds: readonly number[],
  by: ChangedBy,
): Promise<void> {
  await run(
    tx,
    `update banking_batch_entry set released_at = now()
      where batch_id = $1 and disbursement_id = any($2::bigint[]) and released_at is null`,
    [batchId, disbursementIds],
  );
  await unbatchDisbursements(tx, disbursementIds, by);
  await sumUp(tx, batchId);
}

/** Writes a batch's count and total anew from its entries. */
export async function sumUp(tx: Transaction, batchId: number): Promise<number> {
  const [totals] = await run<{ entry_count: number }>(
    tx,
    `update banking_batch b set entry_count = e.count, total_cents = e.total
       from (select count(*)::int as count, coalesce(sum(amount_cents), 0)::bigint as total
               from banking_batch_entry where batch_id = $1 and released_at is null) e
      where b.id = $1 returning b.entry_count`,
    [batchId],
  );
  return totals?.entry_count ?? 0;
}

/** The requests that are in a batch now. */
export async function listEntryIds(tx: Transaction, batchId: number): Promise<number[]> {
  const rows = await run<{ disbursement_id: number }>(
    tx,
    'select disbursement_id from banking_batch_entry where batch_id = $1 and released_at is null order by disbursement_id',
    [batchId],
  );
  return rows.map(({ disbursement_id }) => disbursement_id);
}
