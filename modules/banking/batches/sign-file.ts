import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { requireSecondPerson } from '@case-platform/modules/accounts';
import { type LockedBatch, lockBatch, requireUninvolved } from './batch.ts';
import { requireSendableBatch } from './why-blocked.ts';

/** Two different people sign a file before it is released (BATCH-7). */
export const SIGNATURES_NEEDED = 2;

/**
 * Signs the file that the signer saw, by its SHA-256 (64 hexadecimal digits, BATCH-4).
 * @throws {NotFoundError} @throws {ForbiddenError} `same_person` for another record of a signer, and for those with a part in its
 * payments.
 * @throws {ConflictError} when the file is not waiting or is another one, for a second signature of the same person or a third
 * one, and when the batch is blocked.
 */
export async function signFile(db: Database, batchId: number, sha256: string, by: ChangedBy, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['generated']);
    if (batch.file_sha256 !== sha256.toLowerCase())
      throw new ConflictError('The file changed after you opened this page. Read it again, then sign.', 'other_file');
    const signers = await listSigners(tx, batch);
    if (by.actor !== null && signers.includes(by.actor.id))
      throw new ConflictError('You already signed this file. Someone else has to sign it, too.', 'already_signed');
    await requireSecondPerson(tx, by.actor, signers, 'You already signed this file. Someone else has to sign it, too.');
    await requireUninvolved(tx, batch, by, 'sign it');
    if (signers.length >= SIGNATURES_NEEDED) throw new ConflictError('Two people already signed this file.', 'already_signed');
    await requireSendableBatch(tx, batch, now);
    await query(
      tx,
      sql`insert into batch_signature (batch_id, user_id, file_sha256, signed_at)
        values (${batchId}, ${by.actor?.id ?? null}, decode(${sha256.toLowerCase()}, 'hex'),
                coalesce(${by.origin.happened_at ?? null}::timestamptz, now()))`,
    );
    await recordAudit(tx, {
      ...by,
      action: 'banking_batch.sign',
      subject_id: batchId,
      subject_label: `Batch ${batchId}`,
      after: { sha256: batch.file_sha256 },
    });
  });
}

/** The people who signed the batch's current file. Signatures of a file that was made again do not count (BATCH-10). */
export async function listSigners(tx: Transaction, { id, file_sha256 }: LockedBatch): Promise<number[]> {
  const rows = await query<{ user_id: number }>(
    tx,
    sql`select user_id from batch_signature where batch_id = ${id} and encode(file_sha256, 'hex') = ${file_sha256}`,
  );
  return rows.map(({ user_id }) => user_id);
}
