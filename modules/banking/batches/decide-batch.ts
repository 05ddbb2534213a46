import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { parseLine } from '@case-platform/lib/text/typed-text';
import { moveDates, namePayments, removeOutdatedApprovals } from '@case-platform/modules/disbursements';
import { MEMO_MAX } from '@case-platform/words/limits';
import { lockBatch, moveBatch, requireNotMaker, requireSeenList, requireUninvolved } from './batch.ts';
import { listEntryIds, releaseEntries } from './release-entries.ts';
import { requireSendableBatch } from './why-blocked.ts';

/**
 * Approves a batch by the SHA-256 of its list (BATCH-4). If its file was made again before, the file waits for signatures next.
 * @throws {NotFoundError} @throws {ForbiddenError} `same_person` for its maker and for those with a part in its payments.
 * @throws {ConflictError} when it is not a draft, or is blocked.
 * @throws {ChangedError} when the list changed.
 */
export async function approveBatch(db: Database, batchId: number, listSha256: string, by: ChangedBy, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['draft']);
    await requireNotMaker(tx, batch, by, 'approve it');
    await requireUninvolved(tx, batch, by, 'approve it');
    await requireSeenList(tx, batch, listSha256);
    await requireSendableBatch(tx, batch, now);
    await query(tx, sql`update banking_batch set approved_by = ${by.actor?.id ?? null} where id = ${batchId}`);
    const to = batch.file_sha256 === null ? 'approved' : 'generated';
    await moveBatch(tx, batch, { to, by, action: 'approve', after: { list_sha256: listSha256 } });
  });
}

/**
 * Takes one request out of a draft batch.
 * @throws {NotFoundError} @throws {ConflictError} when the batch is not a draft or has a file, and for its last request: the batch
 * has to be cancelled instead (BATCH-6).
 */
export async function removeFromBatch(
  db: Database,
  batchId: number,
  disbursementId: number,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['draft']);
    if (batch.file_sha256 !== null)
      throw new ConflictError('The file of this batch is already made. Cancel the batch to take a payment out.', 'has_file');
    const ids = await listEntryIds(tx, batchId);
    if (!ids.includes(disbursementId)) throw new NotFoundError();
    if (ids.length === 1)
      throw new ConflictError('This is the last payment in the batch. Cancel the batch instead.', 'last_entry');
    await releaseEntries(tx, batchId, [disbursementId], by, now);
    await moveDates(tx, [disbursementId], { now, because: 'taken_out' });
    const note = `Took out ${(await namePayments(tx, [disbursementId])).get(disbursementId)}.`;
    await moveBatch(tx, batch, {
      to: 'draft',
      by,
      note,
      action: 'remove_entry',
      after: { disbursement_id: disbursementId },
    });
  });
}

/**
 * Cancels a batch whose file was not released, and frees its requests for another one.
 * @throws {NotFoundError} @throws {InvalidInputError} without a reason.
 * @throws {ConflictError} after the file was released.
 */
export async function cancelBatch(db: Database, batchId: number, text: string, by: ChangedBy, now: Date): Promise<void> {
  const reason = parseNote('reason', text);
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['draft', 'approved', 'generated']);
    const ids = await listEntryIds(tx, batchId);
    await releaseEntries(tx, batchId, ids, by, now);
    await removeOutdatedApprovals(tx, { ids }, by, now);
    await moveBatch(tx, batch, { to: 'cancelled', by, note: reason, action: 'cancel', after: { reason } });
  });
}

/** Returns one line of 1 to 300 characters. @throws {InvalidInputError} */
export function parseNote(field: string, text: string): string {
  return parseLine(text, { field, label: 'The reason', max: MEMO_MAX, empty: 'Enter a reason.' });
}
