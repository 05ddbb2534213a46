import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { payDisbursements } from '@case-platform/modules/disbursements';
import { lockBatch, moveBatch, refuseMaker, requireSeenList } from './batch.ts';
import { listEntryIds } from './release-entries.ts';

/**
 * The bank has paid a batch: its requests are paid, with their postings, their calendar lines and the notices about it.
 * @throws {NotFoundError} @throws {ForbiddenError} for whoever has made the batch. @throws {ConflictError} for a batch that is
 * not at the bank.
 */
export async function settleBatch(
  db: Database,
  batchId: number,
  listSha256: string,
  { by, now }: { by: ChangedBy; now: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['transmitted']);
    await refuseMaker(tx, batch, by, 'settle it');
    await requireSeenList(tx, batch, listSha256);
    await payDisbursements(tx, await listEntryIds(tx, batchId), by, now);
    await moveBatch(tx, batch, { to: 'settled', by, action: 'settle', after: { total_cents: batch.total_cents } });
  });
}
