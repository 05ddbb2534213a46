import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type BatchStatus, moveBatch } from '../batches/batch.ts';
import { listEntryIds, releaseEntries } from '../batches/release-entries.ts';

/** Reasons that people read in the history of a batch. */
const NOTES = {
  changed: 'A payee has changed the bank account.',
  sent_back: 'The bank sent a payment back: a payee needs to add another bank account.',
} as const;

/**
 * Takes payments to an account that was changed, or that sent a payment back, out of batches without a file (BANK-3, RETURN-4).
 * An approved batch needs approval again, and an empty one is cancelled. A batch with a file does not change, but is blocked
 * (BATCH-10). The caller holds the lock of all batches.
 */
export async function unbatchPayments(
  tx: Transaction,
  bankAccountId: number,
  { why, by }: { why: keyof typeof NOTES; by: ChangedBy },
  now: Date,
): Promise<void> {
  const note = NOTES[why];
  const batches = await query<{ id: number; status: BatchStatus; disbursement_ids: number[] }>(
    tx,
    sql`select b.id, b.status, array_agg(e.disbursement_id::int8 order by e.disbursement_id) as disbursement_ids
          from banking_batch b join banking_batch_entry e on e.batch_id = b.id
         where e.bank_account_id = ${bankAccountId} and e.released_at is null
           and b.status in ('draft', 'approved') and b.file_sha256 is null
         group by b.id order by b.id`,
  );
  for (const { disbursement_ids, ...batch } of batches) {
    await releaseEntries(tx, batch.id, disbursement_ids.map(Number), by, now);
    const isEmpty = (await listEntryIds(tx, batch.id)).length === 0;
    if (isEmpty) await moveBatch(tx, batch, { to: 'cancelled', by, note, action: 'cancel' });
    else if (batch.status === 'approved') await unapprove(tx, batch, { note, by });
  }
}

async function unapprove(
  tx: Transaction,
  batch: { id: number; status: BatchStatus },
  { note, by }: { note: string; by: ChangedBy },
): Promise<void> {
  await moveBatch(tx, batch, { to: 'draft', by, note, action: 'send_back' });
  await query(tx, sql`update banking_batch set approved_by = null where id = ${batch.id}`);
}
