import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Condition,
  changeAlone,
  draftPath,
  type NewObject,
  type ObjectStore,
  writeObject,
} from './object-store.ts';
import { S3Error } from './s3-error.ts';
import { commitDraft, type ObjectHead, openStored, readStoredHead, writeDraft } from './stored-file.ts';

interface UploadAddress {
  bucket: string;
  key: string;
  uploadId: string;
}

/** One line of the document that completes an upload. */
export interface ListedPart {
  number: number;
  etag: string;
}

const PART_NUMBER_MAX = 10_000;
/** Every part but the last has at least this size (Amazon S3 multipart upload limits). */
const PART_MIN_BYTES = 5 * 1024 * 1024;
const UPLOAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Begins an upload and returns its id. `headers` will be those of the object. */
export async function createUpload(
  store: ObjectStore,
  at: { bucket: string; key: string },
  headers: Record<string, string>,
): Promise<string> {
  const uploadId = randomUUID();
  const draft = draftPath(store);
  await mkdir(draft, { mode: 0o700 });
  await writeFile(join(draft, 'upload.json'), JSON.stringify({ ...at, headers }), { mode: 0o600 });
  await rename(draft, uploadFolder(store, uploadId));
  return uploadId;
}

/** Stores one part, in place of an earlier one of its number. */
export async function writePart(
  store: ObjectStore,
  at: UploadAddress & { number: number },
  bytes: AsyncIterable<Uint8Array>,
  checksum: NewObject['checksum'],
): Promise<ObjectHead> {
  await readUpload(store, at);
  if (!(at.number >= 1 && at.number <= PART_NUMBER_MAX)) {
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${PART_NUMBER_MAX}, inclusive.`);
  }
  const draft = draftPath(store);
  const head = await writeDraft(draft, bytes, ({ size, md5 }) => ({
    key: at.key,
    size,
    etag: `"${md5}"`,
    lastModified: new Date().toISOString(),
    headers: {},
    checksum: checksum?.(),
  }));
  try {
    await commitDraft(draft, partPath(store, at.uploadId, at.number));
  } catch {
    // The upload was completed or aborted while this part was on its way.
    await rm(draft, { force: true });
    throw noSuchUpload();
  }
  return head;
}

/**
 * Joins the listed parts into the object and ends the upload. Of several such calls at once one wins.
 * @throws {S3Error} NoSuchUpload, InvalidPart, InvalidPartOrder, EntityTooSmall
 */
export function completeUpload(
  store: ObjectStore,
  at: UploadAddress,
  parts: readonly ListedPart[],
  condition?: Condition,
): Promise<ObjectHead> {
  return changeAlone(store, `upload ${at.uploadId}`, async () => {
    const { headers } = await readUpload(store, at);
    await checkParts(store, at.uploadId, parts);
    const digest = createHash('md5');
    for (const { etag } of parts) digest.update(Buffer.from(etag, 'hex'));
    const object: NewObject = { headers, etag: `"${digest.digest('hex')}-${parts.length}"` };
    const head = await writeObject(store, at, joined(store, at.uploadId, parts), object, condition);
    await rm(uploadFolder(store, at.uploadId), { recursive: true, force: true });
    return head;
  });
}

/** @throws {S3Error} NoSuchUpload */
export function abortUpload(store: ObjectStore, at: UploadAddress): Promise<void> {
  return changeAlone(store, `upload ${at.uploadId}`, async () => {
    await readUpload(store, at);
    await rm(uploadFolder(store, at.uploadId), { recursive: true, force: true });
  });
}

async function checkParts(store: ObjectStore, uploadId: string, parts: readonly ListedPart[]): Promise<void> {
  if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) {
    throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.');
  }
  for (const [index, { number, etag }] of parts.entries()) {
    const head = await readStoredHead(partPath(store, uploadId, number));
    if (head === null || head.etag !== `"${etag}"`) {
      throw new S3Error('InvalidPart', 'One or more of the specified parts could not be found.', {
        PartNumber: String(number),
      });
    }
    if (head.size < PART_MIN_BYTES && index < parts.length - 1) {
      throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size.');
    }
  }
}

async function* joined(store: ObjectStore, uploadId: string, parts: readonly ListedPart[]): AsyncGenerator<Buffer> {
  for (const { number } of parts) {
    const part = await openStored(partPath(store, uploadId, number));
    if (part === null) throw noSuchUpload();
    if (part.head.size === 0) await part.close();
    else yield* part.read(0, part.head.size - 1);
  }
}

async function readUpload(store: ObjectStore, at: UploadAddress): Promise<{ headers: Record<string, string> }> {
  if (!UPLOAD_ID.test(at.uploadId)) throw noSuchUpload();
  const text = await readFile(join(uploadFolder(store, at.uploadId), 'upload.json'), 'utf8').catch(() => null);
  const upload = text === null ? null : (JSON.parse(text) as UploadAddress & { headers: Record<string, string> });
  if (upload?.bucket !== at.bucket || upload.key !== at.key) throw noSuchUpload();
  return upload;
}

function uploadFolder(store: ObjectStore, uploadId: string): string {
  return join(store.folder, 'uploads', uploadId);
}

function partPath(store: ObjectStore, uploadId: string, number: number): string {
  return join(uploadFolder(store, uploadId), `part-${number}`);
}

function noSuchUpload(): S3Error {
  return new S3Error(
    'NoSuchUpload',
    'The specified multipart upload does not exist. It may have been completed or aborted.',
  );
}
