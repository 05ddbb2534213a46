import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ChangedError, ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { removeOutdatedApprovals } from '@case-platform/modules/disbursements';
import { counted } from '@case-platform/words/counts';
import { fullDayWords } from '@case-platform/words/day-words';
import { type LockedBatch, lockBatch, moveBatch, requireSeenList } from './batch.ts';
import { canStillSettle, effectiveDate } from './effective-date.ts';
import { makeFile } from './make-file.ts';
import { listEntryIds, releaseEntries } from './release-entries.ts';
import { findBlocked } from './why-blocked.ts';

interface Seen {
  /** The SHA-256 of the list of payments that the person saw. */
  sha256: string;
  /** The requests that the person saw as the reason, in any order; empty if only the file is late. */
  disbursement_ids: readonly number[];
}

interface UnblockContext {
  db: Database;
  encryptionKey: EncryptionKey;
}

/** `cancelled` if nothing was left to pay. */
export type UnblockedBatch = 'cancelled' | 'removed' | 'file_made';

/**
 * Removes the payments that stop a batch and, if it has a file, makes the file again for the others (BATCH-10). The bank date
 * stays while the bank can still pay on it. The batch has to be approved again, and the new file signed, because both were given
 * for other contents (BATCH-6); a batch of which nothing is left is cancelled.
 * @throws {NotFoundError}
 * @throws {ConflictError} when nothing stops the batch, and once its file was released. @throws as `makeFile`.
 * @throws {ChangedError} when the list of payments, or those that stop it, are not the ones that were seen.
 */
export async function unblockBatch(
  { db, encryptionKey }: UnblockContext,
  batchId: number,
  seen: Seen,
  by: ChangedBy,
  now: Date,
): Promise<UnblockedBatch> {
  return db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['draft', 'approved', 'generated']);
    await requireSeenList(tx, batch, seen.sha256);
    const ids = await requireSeenBlockage(tx, batch, seen, now);
    await releaseEntries(tx, batchId, ids, by, now);
    await removeOutdatedApprovals(tx, { ids }, by, now);
    const removalWords = ids.length === 0 ? '' : `Removed ${counted(ids.length, 'payment')} that can’t be sent.`;
    if ((await listEntryIds(tx, batchId)).length === 0) {
      await moveBatch(tx, batch, { to: 'cancelled', by, action: 'cancel', note: `${removalWords} Nothing was left to pay.` });
      return 'cancelled';
    }
    const file = batch.file_sha256 === null ? null : await remakeFile(tx, batch, { encryptionKey, now });
    const note = [removalWords, file?.words ?? ''].join(' ').trim();
    await moveBatch(tx, batch, { to: 'draft', by, action: 'unblock', note, after: { disbursement_ids: ids, ...file?.made } });
    await query(tx, sql`update banking_batch set approved_by = null, handed_out_by = null where id = ${batchId}`);
    return file === null ? 'removed' : 'file_made';
  });
}

/** @returns the ids of the requests that stop the batch. */
async function requireSeenBlockage(tx: Transaction, batch: LockedBatch, seen: Seen, now: Date): Promise<number[]> {
  const blockage = (await findBlocked(tx, [batch], now)).get(batch.id);
  if (blockage === undefined) throw new ConflictError('Nothing stops this batch now.', 'not_blocked');
  const ids = blockage.payments.map(({ disbursement_id }) => disbursement_id);
  const seenIds = new Set(seen.disbursement_ids);
  if (ids.length !== seenIds.size || !ids.every((id) => seenIds.has(id)))
    throw new ChangedError('Other payments stop this batch now. Check them again.');
  return ids;
}

async function remakeFile(
  tx: Transaction,
  batch: LockedBatch,
  { encryptionKey, now }: { encryptionKey: EncryptionKey; now: Date },
) {
  const before = batch.effective_date ?? '';
  const effective_date = remadeDate(batch, now);
  const file = await makeFile(tx, batch, { encryptionKey, now, effective_date });
  const arrival =
    effective_date === before
      ? `The rest should still arrive on ${fullDayWords(before)}.`
      : `The rest should arrive on ${fullDayWords(effective_date)} instead of ${fullDayWords(before)}.`;
  return { made: file, words: `The file was made again. ${arrival}` };
}

/** The day, YYYY-MM-DD, of a file that is made again: the same one, as long as the bank can still pay on it. */
export function remadeDate({ effective_date, same_day }: Pick<LockedBatch, 'effective_date' | 'same_day'>, now: Date): string {
  const keepsDate = effective_date !== null && canStillSettle(effective_date, same_day, now);
  return keepsDate ? effective_date : effectiveDate(now, same_day);
}
