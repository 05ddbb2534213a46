import { createHash } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { answerIdempotencyKey, withIdempotencyKey } from '@case-platform/lib/idempotency';
import { type ConfirmedFile, confirmUpload, type UploadToConfirm } from './confirm-upload.ts';
import type { PictureState } from './pictures/pictures.ts';
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

interface AttachedFile {
  filename: string;
  content_type: string;
  storage_key: string;
  /** Null for a file that is not a picture. */
  picture_state: PictureState | null;
}

/**
 * Signs the URL of an attached file for one reader. Until the location of a picture was removed, only its owner can open it
 * (PICTURE-1).
 * @returns nulls while the reader may not open the file.
 */
export function signAttachedFile(
  storage: Storage,
  { filename, content_type: contentType, storage_key: key, picture_state }: AttachedFile,
  { isOwner, now }: { isOwner: boolean; now: Date },
): SignedUrl | { url: null; url_expires_at: null } {
  const isOpen = isOwner || picture_state === null || picture_state === 'clean';
  return isOpen ? signDownloadUrl(storage, { key, filename, contentType, now }) : { url: null, url_expires_at: null };
}
