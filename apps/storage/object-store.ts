import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Error } from './s3-error.ts';
import { type ObjectHead, type OpenObject, openStored, readStoredHead, writeDraft } from './stored-file.ts';

/** Buckets and objects in one folder of the disk. */
export interface ObjectStore {
  readonly folder: string;
}

/** The longest file name that every file system accepts, less the prefix. */
const NAME_MAX_LENGTH = 200;

/** Opens the folder, creates missing subfolders, and removes drafts that a killed process left. */
export async function openObjectStore(folder: string, bucket: string): Promise<ObjectStore> {
  const store: ObjectStore = { folder };
  await rm(join(folder, 'drafts'), { recursive: true, force: true });
  await mkdir(join(folder, 'drafts'), { recursive: true, mode: 0o700 });
  await mkdir(bucketFolder(store, bucket), { recursive: true, mode: 0o700 });
  return store;
}

/** @throws {S3Error} NoSuchBucket */
export async function requireBucket(store: ObjectStore, bucket: string): Promise<void> {
  const folder = await stat(bucketFolder(store, bucket)).catch(() => null);
  if (folder === null) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist.', { BucketName: bucket });
}

/** Stores an object once all of `bytes` have arrived. Until then, and after a failure, an earlier object of the key stays. */
export async function writeObject(
  store: ObjectStore,
  at: { bucket: string; key: string },
  bytes: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<ObjectHead> {
  const draft = join(store.folder, 'drafts', randomUUID());
  const head = await writeDraft(draft, bytes, { key: at.key, contentType });
  await rename(draft, objectPath(store, at));
  return head;
}

/** @throws {S3Error} NoSuchKey */
export async function openObject(store: ObjectStore, at: { bucket: string; key: string }): Promise<OpenObject> {
  const object = await openStored(objectPath(store, at));
  if (object === null) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: at.key });
  return object;
}

export function findHead(store: ObjectStore, at: { bucket: string; key: string }): Promise<ObjectHead | null> {
  return readStoredHead(objectPath(store, at));
}

/** Removes an object. An object that does not exist counts as removed. */
export async function deleteObject(store: ObjectStore, at: { bucket: string; key: string }): Promise<void> {
  await rm(objectPath(store, at), { force: true });
}

/** Lists every key of a bucket that begins with `prefix`, in the order of their UTF-8 bytes. */
export async function listKeys(store: ObjectStore, bucket: string, prefix: string): Promise<string[]> {
  const names = await readdir(bucketFolder(store, bucket));
  const keys = await Promise.all(
    names.map(async (name) => {
      if (name.startsWith('k-')) return decodeURIComponent(name.slice(2));
      if (!name.startsWith('h-')) return undefined;
      return (await readStoredHead(join(bucketFolder(store, bucket), name)))?.key;
    }),
  );
  const matching = keys.filter((key): key is string => key?.startsWith(prefix) === true);
  return matching
    .map((key) => ({ key, bytes: Buffer.from(key) }))
    .sort((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ key }) => key);
}

function bucketFolder(store: ObjectStore, bucket: string): string {
  return join(store.folder, 'buckets', bucket);
}

/**
 * Returns the path of a key's file. Everything but lower-case letters, digits, `-`, and `_` is percent-encoded, so that no key
 * is a path, and two keys are two files even if the file system ignores case. A name that is too long is replaced by a digest.
 */
function objectPath(store: ObjectStore, { bucket, key }: { bucket: string; key: string }): string {
  const name = [...Buffer.from(key)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-z0-9_-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  const file = name.length <= NAME_MAX_LENGTH ? `k-${name}` : `h-${createHash('sha256').update(key).digest('hex')}`;
  return join(bucketFolder(store, bucket), file);
}
