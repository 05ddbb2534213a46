import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ChangedError, ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { sendDisbursements } from '@case-platform/modules/disbursements';
import { lockBatch, moveBatch, requireNotMaker, requireUninvolved } from './batch.ts';
import { readBatchFile } from './batch-file.ts';
import { parseNote } from './decide-batch.ts';
import { listEntryIds } from './release-entries.ts';
import { listSigners, SIGNATURES_NEEDED } from './sign-file.ts';
import { requireSendableBatch } from './why-blocked.ts';

/**
 * Releases a signed file to the acting person, who sends it to the bank. The file is not released a second time until someone
 * records whether the bank has it (`confirmOutcome`, BATCH-7).
 * @param sha256 of the file that the person saw.
 * @throws {NotFoundError} @throws {ForbiddenError} `same_person` for the batch's maker and for those with a part in its payments.
 * @throws {ChangedError} for another file.
 * @throws {ConflictError} when the file is not waiting, lacks a signature, or is blocked.
 */
export async function releaseFile(db: Database, batchId: number, sha256: string, by: ChangedBy, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['generated']);
    await requireNotMaker(tx, batch, by, 'send it');
    await requireUninvolved(tx, batch, by, 'send it');
    if (batch.file_sha256 !== sha256.toLowerCase())
      throw new ChangedError('The file changed after you opened this page. Check the batch again.');
    if ((await listSigners(tx, batch)).length < SIGNATURES_NEEDED)
      throw new ConflictError('Two people have to sign this file before it’s sent.', 'not_signed');
    await requireSendableBatch(tx, batch, now);
    await query(tx, sql`update banking_batch set handed_out_by = ${by.actor?.id ?? null} where id = ${batchId}`);
    await moveBatch(tx, batch, { to: 'outcome_unknown', by, action: 'hand_out', after: { sha256: batch.file_sha256 } });
  });
}

/**
 * Returns the file to the person who released it, until its outcome is recorded.
 * @returns the file's name and its text, which contains account numbers.
 * @throws {NotFoundError} @throws {ForbiddenError} `not_yours` for anyone else.
 * @throws {ConflictError} at any other time.
 */
export async function downloadFile(
  { db, encryptionKey }: { db: Database; encryptionKey: EncryptionKey },
  batchId: number,
  by: ChangedBy,
): Promise<{ filename: string; text: string }> {
  return db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['outcome_unknown']);
    if (batch.handed_out_by !== by.actor?.id) throw new ForbiddenError('Someone else downloaded the file.', 'not_yours');
    const text = (await readBatchFile(tx, encryptionKey, batchId)) ?? '';
    await recordAudit(tx, {
      ...by,
      action: 'banking_batch.download',
      subject_id: batchId,
      subject_label: `Batch ${batchId}`,
      after: { sha256: batch.file_sha256 },
    });
    return { filename: `batch-${batchId}-${batch.effective_date}.ach`, text };
  });
}

/**
 * Records whether the bank has a released file. If it does not, the file can be released again (BATCH-7).
 * @throws {NotFoundError} @throws {ForbiddenError} for the batch's maker.
 * @throws {InvalidInputError} without a note about how the person knows.
 * @throws {ConflictError} when the outcome is already recorded.
 * @throws {ChangedError} for another file.
 */
export async function confirmOutcome(
  db: Database,
  batchId: number,
  { outcome, note: text, sha256 }: { outcome: 'accepted' | 'refused'; note: string; sha256: string },
  by: ChangedBy,
  now: Date,
): Promise<void> {
  const note = parseNote('note', text);
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['outcome_unknown']);
    await requireNotMaker(tx, batch, by, 'confirm it');
    if (batch.file_sha256 !== sha256.toLowerCase())
      throw new ChangedError('The file changed after you opened this page. Check the batch again.');
    const to = outcome === 'accepted' ? 'transmitted' : 'generated';
    await moveBatch(tx, batch, { to, by, note, action: 'confirm_outcome', after: { outcome, note } });
    if (outcome === 'accepted') await sendDisbursements(tx, await listEntryIds(tx, batchId), by, now);
  });
}
