import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { lockBatch, moveBatch, requireSeenList } from './batch.ts';
import { effectiveDate } from './effective-date.ts';
import { makeFile } from './make-file.ts';
import { requireSendableBatch } from './why-blocked.ts';

/**
 * Makes the NACHA file of an approved batch (NACHA-5). A batch gets one file, which is only made again without the payments that
 * stop it (BATCH-10); any other file needs another batch.
 * @param listSha256 the SHA-256 of the list that the person saw.
 * @throws {ChangedError} when the list changed.
 * @throws {NotFoundError} @throws {ConflictError} when the batch is not approved or is blocked, and before the bank's details are
 * entered.
 * @throws {InvalidInputError} for payments that a file cannot hold.
 */
export async function generateFile(
  { db, encryptionKey }: { db: Database; encryptionKey: EncryptionKey },
  batchId: number,
  listSha256: string,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['approved']);
    await requireSeenList(tx, batch, listSha256);
    await requireSendableBatch(tx, batch, now);
    const effective_date = effectiveDate(now, batch.same_day);
    const after = await makeFile(tx, batch, { encryptionKey, now, effective_date });
    await moveBatch(tx, batch, { to: 'generated', by, action: 'generate', after: { ...after } });
  });
}
