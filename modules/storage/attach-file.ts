import { createHash } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { answerIdempotencyKey, withIdempotencyKey } from '@case-platform/lib/idempotency';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { type ConfirmedFile, confirmUpload, type UploadToConfirm } from './confirm-upload.ts';
import { discardFiles, type PictureState } from './pictures/pictures.ts';
import { type SignedUrl, signDownloadUrl } from './sign-download-url.ts';
import type { Storage } from './storage.ts';

interface AttachedUpload extends UploadToConfirm {
  idempotencyKey?: string | undefined;
}

/**
 * Confirms an upload and attaches its file, once per idempotency key.
 * @param insert writes the row that owns the file, in the transaction that spends the upload, and returns the answer of the
 * request.
 * @throws as `confirmUpload` and `withIdempotencyKey`, and anything that `insert` throws.
 */
export function attachFile<Answer extends object>(
  { db, storage }: { db: Database; storage: Storage },
  { idempotencyKey: key, ...upload }: AttachedUpload,
  now: Date,
  insert: (tx: Transaction, file: ConfirmedFile) => Promise<Answer>,
): Promise<Answer> {
  const { purpose, subject_id, file_key, user_id: userId } = upload;
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify([purpose, subject_id, file_key]))
      .digest();
  return withIdempotencyKey(db, { userId, key, hashRequest }, (claim) =>
    confirmUpload(db, storage, upload, now, async (tx, file) => {
      const answer = await insert(tx, file);
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, answer);
      return answer;
    }),
  );
}

/** A file that a row owns, read with `attachedFileColumns`. */
export interface AttachedFile {
  filename: string;
  content_type: string;
  /** In bytes. */
  size: number;
  storage_key: string;
  /** Null for a file that is not a picture. */
  picture_state: PictureState | null;
}

/** The columns of an `AttachedFile`. The statement also needs `joinPicture`. @param file the alias of the row that owns the file. */
export function attachedFileColumns(file: Sql): Sql {
  return sql`${file}.filename, ${file}.content_type, coalesce(picture.size, ${file}.size) as size, ${file}.storage_key,
             picture.state as picture_state`;
}

/** Joins the picture of an attached file, if it is one. @param file the alias of the row that owns the file. */
export function joinPicture(file: Sql): Sql {
  return sql`left join stored_picture picture on picture.storage_key = ${file}.storage_key`;
}

/**
 * Signs the URL of an attached file for one reader. Until the location of a picture was removed, only its owner can open it
 * (PICTURE-1).
 * @returns the file without its storage key; the URL is null while the reader may not open it.
 */
export function showAttachedFile<File extends AttachedFile>(
  storage: Storage,
  { storage_key: key, ...file }: File,
  { isOwner }: { isOwner: boolean },
  now: Date,
): Omit<File, 'storage_key'> & (SignedUrl | { url: null; url_expires_at: null }) {
  const { filename, content_type: contentType, picture_state } = file;
  const isOpen = isOwner || picture_state === null || picture_state === 'clean';
  const link = isOpen ? signDownloadUrl(storage, { key, filename, contentType }, now) : { url: null, url_expires_at: null };
  return { ...file, ...link };
}

/**
 * Removes attached files with their rows. The objects are removed after the commit.
 * @param deletion a statement of the module that owns the rows, which deletes them and returns at least their `storage_key`.
 * @returns the deleted rows.
 */
export async function removeAttachedFiles<Row extends { storage_key: string }>(tx: Transaction, deletion: Sql): Promise<Row[]> {
  const rows = await query<Row>(tx, deletion);
  await discardFiles(
    tx,
    rows.map(({ storage_key }) => storage_key),
  );
  return rows;
}
