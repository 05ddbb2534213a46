import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { type EncryptionKey, open, seal } from '@case-platform/lib/encryption';
import { query, sql } from '@case-platform/lib/sql';

/** Files contain account numbers, so they are encrypted, each bound to its batch (NACHA-5). */
const KIND = 'bank file';
const contextOf = (batchId: number) => `batch:${batchId}`;

export function sealFile(encryptionKey: EncryptionKey, batchId: number, text: string): Buffer {
  return seal(encryptionKey, KIND, text, contextOf(batchId));
}

/** The text of a batch's file, or null before there is one. @throws when it does not match the stored SHA-256. */
export async function readBatchFile(db: Executor, encryptionKey: EncryptionKey, batchId: number): Promise<string | null> {
  const [row] = await query<{ file: Buffer | null; file_sha256: Buffer | null }>(
    db,
    sql`select file, file_sha256 from banking_batch where id = ${batchId}`,
  );
  if (row?.file == null) return null;
  const text = open(encryptionKey, KIND, row.file, contextOf(batchId));
  const sha256 = createHash('sha256').update(text).digest();
  if (row.file_sha256 === null || !sha256.equals(row.file_sha256))
    throw new Error(`the file of batch ${batchId} is not the one that was made`);
  return text;
}
