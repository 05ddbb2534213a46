import { randomUUID } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { InvalidInputError, invalid, TooManyRequestsError } from '@case-platform/lib/errors';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { sizeLimitWords } from '@case-platform/words/files';
import { cleanFilename, findClaimedType } from './content/attachment-types.ts';
import { createUploadPolicy, type UploadDescriptor } from './create-upload-policy.ts';
import type { Storage } from './storage.ts';
import { UPLOAD_PURPOSES, UPLOADS_PREFIX, type UploadPurpose } from './upload-purposes.ts';

/** The uploader, the purpose, and the subject of an upload. It can only be confirmed for the same three (UPLOAD-5). */
export interface UploadBinding {
  user_id: number;
  purpose: UploadPurpose;
  /** The id of the file's subject: the user for a profile picture, the case for a case document. */
  subject_id: number;
}

export interface NewUpload extends UploadBinding {
  filename: string;
  content_type: string;
  /** In bytes. If it is given, the storage accepts exactly this size. */
  size?: number | undefined;
}

/** The most unconfirmed uploads of one person within an hour (UPLOAD-7). */
const PENDING_MAX = 50;
const HOUR_MS = 3_600_000;

/**
 * Does the first of the three steps of a direct upload (UPLOAD-1): creates a policy of five minutes for one new key. The caller
 * has checked that this person may add to the subject.
 * @throws {InvalidInputError} for a type or size of file that the purpose does not allow.
 * @throws {TooManyRequestsError} above 50 unconfirmed uploads an hour.
 */
export async function beginUpload(db: Executor, storage: Storage, upload: NewUpload, now: Date): Promise<UploadDescriptor> {
  const { user_id, purpose, subject_id, size } = upload;
  const { types, maxBytes } = UPLOAD_PURPOSES[purpose];
  const filename = cleanFilename(upload.filename);
  const type = findClaimedType({ filename, contentType: upload.content_type }, types);
  if (type === null) {
    const accepted = types.map(({ extensions }) => extensions[0].toUpperCase()).join(', ');
    const message = `“${filename}” can’t be used here. Choose ${accepted}.`;
    throw new InvalidInputError([{ field: 'content_type', message }], 'file_type');
  }
  if (size !== undefined && size > maxBytes) {
    throw invalid('size', `Files here can be up to ${sizeLimitWords(maxBytes)}.`);
  }
  await requireFewPendingUploads(db, user_id, now);
  const id = randomUUID();
  await query(
    db,
    sql`insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, size, created_at)
        values (${id}, ${user_id}, ${purpose}, ${subject_id}, ${filename}, ${type.contentType}, ${size ?? null}, ${now})`,
  );
  const range = size === undefined ? { maxBytes } : { minBytes: size, maxBytes: size };
  return createUploadPolicy(storage, { key: `${UPLOADS_PREFIX}${id}`, contentType: type.contentType, ...range }, now);
}

async function requireFewPendingUploads(db: Executor, userId: number, now: Date): Promise<void> {
  const [pending] = await query<{ count: number }>(
    db,
    sql`select count(*) from (
          select from pending_upload
           where user_id = ${userId} and created_at > ${new Date(now.getTime() - HOUR_MS)} ${limitTo(PENDING_MAX)}) p`,
  );
  if ((pending?.count ?? 0) >= PENDING_MAX) {
    throw new TooManyRequestsError(600, 'Too many uploads were started and not finished. Wait a few minutes and try again.');
  }
}
