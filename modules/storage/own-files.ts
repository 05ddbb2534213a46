import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { pictureFailureWords } from '@case-platform/words/pictures';
import { attachFile, removeAttachedFiles } from './attach-file.ts';
import type { ConfirmedFile } from './confirm-upload.ts';
import { describePictures, type PictureInfo, type PictureState } from './pictures/pictures.ts';
import { signDownloadUrl } from './sign-download-url.ts';
import type { Storage } from './storage.ts';

/** The kinds of files of which a person has one each. */
export type OwnFilePurpose = 'profile_picture' | 'photo_id';

/** A person's files as that person sees them. The URLs are signed for one hour (FILE-4). */
export interface OwnFiles {
  /** 256 pixels square after the worker has made it, and the original picture until then. */
  profile_picture_url: string | null;
  /** 96 pixels square. */
  profile_picture_small_url: string | null;
  profile_picture_state: PictureState | null;
  /** The problem and the next step, for the picture's owner, when its state is `failed`. */
  profile_picture_problem: string | null;
  photo_id: OwnFile | null;
}

interface OwnFile {
  filename: string;
  content_type: string;
  /** In bytes. */
  size: number;
  /** ISO 8601, UTC. */
  uploaded_at: string;
  /** The problem with a picture and the next step, for its owner; null without a problem. */
  problem: string | null;
  url: string;
  url_expires_at: string;
}

interface OwnUpload {
  purpose: OwnFilePurpose;
  user_id: number;
  file_key: string;
  idempotencyKey?: string | undefined;
}

interface OwnRow extends ConfirmedFile {
  purpose: OwnFilePurpose;
  created_at: Date;
}

const OWN_COLUMNS = sql`purpose, filename, content_type, size, storage_key, created_at`;

/** Returns the profile picture and photo ID of a person, for that person (UPLOAD-8). */
export async function getOwnFiles(db: Executor, storage: Storage, userId: number, now: Date): Promise<OwnFiles> {
  const rows = await query<OwnRow>(db, sql`select ${OWN_COLUMNS} from user_file where user_id = ${userId}`);
  const pictures = await describePictures(
    db,
    rows.map(({ storage_key }) => storage_key),
  );
  const picture = rows.find(({ purpose }) => purpose === 'profile_picture');
  const info = picture && pictures.get(picture.storage_key);
  const sign = (width: number) => {
    if (picture === undefined) return null;
    const { storage_key, filename, content_type: contentType } = picture;
    const key = info?.renditions[width];
    if (key === undefined) return signDownloadUrl(storage, { key: storage_key, filename, contentType }, now).url;
    const small = { key, filename: filename.replace(/\.\w+$/, '.webp'), contentType: 'image/webp' };
    return signDownloadUrl(storage, small, now).url;
  };
  const photoId = rows.find(({ purpose }) => purpose === 'photo_id');
  return {
    profile_picture_url: sign(256),
    profile_picture_small_url: sign(96),
    profile_picture_state: info?.state ?? null,
    profile_picture_problem: problemWords(info),
    photo_id: photoId === undefined ? null : showFile(storage, photoId, pictures.get(photoId.storage_key), now),
  };
}

function showFile(storage: Storage, file: OwnRow, picture: PictureInfo | undefined, now: Date): OwnFile {
  const { filename, content_type, storage_key: key, created_at } = file;
  const size = picture?.size ?? file.size;
  const link = signDownloadUrl(storage, { key, filename, contentType: content_type }, now);
  const uploaded_at = created_at.toISOString();
  return { filename, content_type, size, uploaded_at, problem: problemWords(picture), ...link };
}

function problemWords(picture: PictureInfo | undefined): string | null {
  return picture?.state === 'failed' ? pictureFailureWords(picture.failure ?? 'damaged') : null;
}

/**
 * Confirms a person's new profile picture or photo ID, which replaces the previous one (UPLOAD-8). A photo ID is recorded in the
 * audit log.
 * @throws as `attachFile`.
 */
export async function confirmOwnFile(
  context: { db: Database; storage: Storage },
  upload: OwnUpload,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  const { purpose, user_id } = upload;
  await attachFile(context, { ...upload, subject_id: user_id }, now, async (tx, file) => {
    await replaceOwnFile(tx, { purpose, user_id, file }, by, now);
    return {};
  });
}

async function replaceOwnFile(
  tx: Transaction,
  { purpose, user_id, file }: { purpose: OwnFilePurpose; user_id: number; file: ConfirmedFile },
  by: ChangedBy,
  now: Date,
): Promise<void> {
  // Uploads of one person wait for each other, so that a later one replaces an earlier one.
  await query(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`user_file:${user_id}:${purpose}`}, 0))`);
  const before = await removeOwnRow(tx, user_id, purpose);
  await query(
    tx,
    sql`insert into user_file (user_id, purpose, filename, content_type, size, storage_key, created_at)
          values (${user_id}, ${purpose}, ${file.filename}, ${file.content_type}, ${file.size}, ${file.storage_key},
                  ${now})`,
  );
  if (purpose === 'photo_id') {
    const action = before === undefined ? 'photo_id.upload' : 'photo_id.replace';
    await recordAudit(tx, {
      ...by,
      action,
      subject_id: user_id,
      before: outline(before),
      after: outline(file),
    });
  }
}

/**
 * Removes a person's profile picture or photo ID with its object, and records it in the audit log.
 * @throws {NotFoundError} if there is none.
 */
export async function removeOwnFile(
  db: Database,
  { user_id, purpose }: { user_id: number; purpose: OwnFilePurpose },
  by: ChangedBy,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await removeOwnRow(tx, user_id, purpose);
    if (before === undefined) throw new NotFoundError();
    const action = `${purpose}.delete` as const;
    await recordAudit(tx, { ...by, action, subject_id: user_id, before: outline(before) });
  });
}

/**
 * Signs the URL of a person's photo ID for staff, and records the view in the audit log. A picture is shown after its location
 * was removed (PICTURE-1).
 * @returns a URL signed for one hour.
 * @throws {NotFoundError} if there is none.
 * @throws {ConflictError} `picture_not_ready` for a picture that is not clean.
 */
export async function openPhotoId(
  { db, storage }: { db: Database; storage: Storage },
  userId: number,
  by: ChangedBy,
  now: Date,
): Promise<string> {
  return db.transaction(async (tx) => {
    const [file] = await query<OwnRow>(
      tx,
      sql`select ${OWN_COLUMNS} from user_file where user_id = ${userId} and purpose = 'photo_id'`,
    );
    if (file === undefined) throw new NotFoundError();
    const { storage_key: key, filename, content_type: contentType } = file;
    const state = (await describePictures(tx, [key])).get(key)?.state;
    if (state === 'waiting') throw notReady('This photo ID is still being processed. Try again in a minute.');
    if (state === 'failed') throw notReady('This photo ID can’t be read as a picture. Ask its owner to upload it again.');
    await recordAudit(tx, { ...by, action: 'photo_id.view', subject_id: userId });
    return signDownloadUrl(storage, { key, filename, contentType }, now).url;
  });
}

function notReady(message: string): ConflictError {
  return new ConflictError(message, 'picture_not_ready');
}

async function removeOwnRow(tx: Transaction, userId: number, purpose: OwnFilePurpose): Promise<OwnRow | undefined> {
  const [file] = await removeAttachedFiles<OwnRow>(
    tx,
    sql`delete from user_file where user_id = ${userId} and purpose = ${purpose} returning ${OWN_COLUMNS}`,
  );
  return file;
}

/** The audit log has the type and size of a file, and never its content or storage key. */
function outline(file: ConfirmedFile | undefined): Record<string, unknown> | null {
  return file === undefined ? null : { content_type: file.content_type, size: file.size };
}
