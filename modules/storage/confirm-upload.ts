import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError, DomainError, InvalidInputError, NotFoundError, TooLargeError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { sizeLimitWords } from '@case-platform/words/files';
import type { UploadBinding } from './begin-upload.ts';
import { findClaimedType } from './content/attachment-types.ts';
import { parseFileType } from './content/parse-file-type.ts';
import { copyObject, deleteObjects, findObject, objectSource } from './objects.ts';
import { queuePictureCleaning } from './pictures/pictures.ts';
import type { Storage } from './storage.ts';
import { FILES_PREFIX, UPLOAD_PURPOSES, UPLOADS_PREFIX } from './upload-purposes.ts';

export interface UploadToConfirm extends UploadBinding {
  /** The key from the upload descriptor. */
  file_key: string;
}

/** A checked file under its final key. The owner's row keeps its `storage_key`. */
export interface ConfirmedFile {
  filename: string;
  content_type: string;
  /** In bytes. */
  size: number;
  storage_key: string;
}

/** The row of an upload in `pending_upload`, with the claim of the call that confirms it. */
interface ClaimedUpload {
  id: string;
  filename: string;
  content_type: string;
  size: number | null;
  claimed_at: Date;
}

/** Seconds after its start within which an upload can be confirmed (UPLOAD-5). The sweep deletes it after 24 hours. */
const UPLOAD_CONFIRM_TTL = 12 * 3600;
/** A claim expires after this time, because its process must have died. */
const CLAIM_TTL_MS = 2 * 60_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Does the last of the three steps of a direct upload: copies the object to its final key, checks the size and content of the
 * copy, and has `insert` write the owner's row in the transaction that spends the upload. An upload is confirmed once, even by two
 * calls at the same time (UPLOAD-5). No transaction is open while the storage is called. A crash in between leaves an object
 * without a row, which the sweep removes, and an upload that can be confirmed again.
 * @throws {NotFoundError} for a key that is unknown, spent, too old, or of another person.
 * @throws {ConflictError} `upload_missing` before the file has arrived, `upload_in_progress` while another call confirms it,
 * `file_replaced` when it was uploaded again meanwhile.
 * @throws {InvalidInputError} for content that does not match the claimed type. The upload is removed.
 * @throws {TooLargeError} for a file above the limit. The upload is removed.
 */
export async function confirmUpload<Result>(
  db: Database,
  storage: Storage,
  upload: UploadToConfirm,
  now: Date,
  insert: (tx: Transaction, file: ConfirmedFile) => Promise<Result>,
): Promise<Result> {
  const claimed = await claimUpload(db, upload, now);
  try {
    const file = await moveUpload(db, storage, upload, claimed);
    const result = await attachInTransaction(db, storage, { claimed, file, owner: upload.user_id }, insert);
    await removeQuietly(storage, keyOf(claimed));
    return result;
  } catch (error) {
    await releaseClaim(db, claimed);
    throw error;
  }
}

async function claimUpload(db: Database, upload: UploadToConfirm, now: Date): Promise<ClaimedUpload> {
  const { file_key, user_id, purpose, subject_id } = upload;
  const id = file_key.startsWith(UPLOADS_PREFIX) ? file_key.slice(UPLOADS_PREFIX.length) : '';
  if (!UUID.test(id)) throw unknownUpload();
  const since = new Date(now.getTime() - UPLOAD_CONFIRM_TTL * 1000);
  const [row] = await query<ClaimedUpload & { claimed: boolean }>(
    db,
    sql`with mine as (
          select id from pending_upload
           where id = ${id} and user_id = ${user_id} and purpose = ${purpose} and subject_id = ${subject_id}
             and created_at > ${since}
        ), claim as (
          update pending_upload p set claimed_at = ${now} from mine
           where p.id = mine.id and (p.claimed_at is null or p.claimed_at < ${new Date(now.getTime() - CLAIM_TTL_MS)})
          returning p.id, p.filename, p.content_type, p.size, p.claimed_at
        )
        select mine.id, c.filename, c.content_type, c.size, c.claimed_at, c.id is not null as claimed
          from mine left join claim c on c.id = mine.id`,
  );
  if (row === undefined) throw unknownUpload();
  if (!row.claimed) throw new ConflictError('This file is already being confirmed.', 'upload_in_progress');
  return row;
}

/**
 * Copies the object from its temporary key to a final one and checks the copy. Only we can write the copy, so the checked bytes
 * are the stored bytes, even with stores that ignore the condition of a copy.
 */
async function moveUpload(
  db: Database,
  storage: Storage,
  { purpose, subject_id }: UploadBinding,
  upload: ClaimedUpload,
): Promise<ConfirmedFile> {
  const from = keyOf(upload);
  const { filename, content_type } = upload;
  const { types } = UPLOAD_PURPOSES[purpose];
  const extension = findClaimedType({ filename, contentType: content_type }, types)?.extensions[0] ?? 'bin';
  const storage_key = `${FILES_PREFIX}${purpose}/${subject_id}/${randomUUID()}.${extension}`;
  const object = await findObject(storage, from);
  if (object === null) throw new ConflictError('The file hasn’t arrived yet. Upload it again.', 'upload_missing');
  try {
    requireSize(purpose, upload, object.size);
    await copyObject(storage, { from, to: storage_key, etag: object.etag });
    const { size } = (await findObject(storage, storage_key)) ?? object;
    requireSize(purpose, upload, size);
    const claim = { filename, contentType: content_type, field: 'file_key' };
    const type = await parseFileType(objectSource(storage, storage_key, size), claim, types);
    return { filename: type.filename, content_type: type.contentType, size, storage_key };
  } catch (error) {
    await removeQuietly(storage, storage_key);
    if (error instanceof InvalidInputError || error instanceof TooLargeError) await discardUpload(db, storage, upload);
    throw error;
  }
}

/** The size is checked here as well, because not every store enforces all of a policy. */
function requireSize(purpose: UploadBinding['purpose'], upload: ClaimedUpload, size: number): void {
  const { maxBytes } = UPLOAD_PURPOSES[purpose];
  if (size > maxBytes) {
    throw new TooLargeError(`Files here can be up to ${sizeLimitWords(maxBytes)}.`, 'file_too_large');
  }
  if (upload.size !== null && size !== upload.size) {
    const message = `The file has ${size} bytes; ${upload.size} were announced.`;
    throw new InvalidInputError([{ field: 'file_key', message }], 'file_size');
  }
}

/** Removes an upload whose content does not match, so that its key cannot be used again. */
async function discardUpload(db: Database, storage: Storage, upload: ClaimedUpload): Promise<void> {
  await query(db, sql`delete from pending_upload where id = ${upload.id} and claimed_at = ${upload.claimed_at}`);
  await removeQuietly(storage, keyOf(upload));
}

async function attachInTransaction<Result>(
  db: Database,
  storage: Storage,
  { claimed, file, owner }: { claimed: ClaimedUpload; file: ConfirmedFile; owner: number },
  insert: (tx: Transaction, file: ConfirmedFile) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction(async (tx) => {
      const [row] = await query(
        tx,
        sql`delete from pending_upload where id = ${claimed.id} and claimed_at = ${claimed.claimed_at} returning id`,
      );
      if (row === undefined) {
        throw new ConflictError('This file was already confirmed.', 'upload_in_progress');
      }
      await queuePictureCleaning(tx, file, owner);
      return await insert(tx, file);
    });
  } catch (error) {
    // A domain error was thrown before the commit. After any other error the row may exist, so the file must stay.
    if (error instanceof DomainError) await removeQuietly(storage, file.storage_key);
    throw error;
  }
}

/** Releases the claim, so that the client can try again at once instead of waiting until the claim expires. */
async function releaseClaim(db: Database, { id, claimed_at }: ClaimedUpload): Promise<void> {
  const giving = sql`update pending_upload set claimed_at = null where id = ${id} and claimed_at = ${claimed_at}`;
  await query(db, giving).catch(() => {});
}

/** If this fails, the sweep removes the object later. */
async function removeQuietly(storage: Storage, key: string): Promise<void> {
  await deleteObjects(storage, [key]).catch(() => {});
}

function keyOf({ id }: ClaimedUpload): string {
  return `${UPLOADS_PREFIX}${id}`;
}

function unknownUpload(): NotFoundError {
  return new NotFoundError('We can’t find this upload, or it was already confirmed.', 'upload_not_found');
}
