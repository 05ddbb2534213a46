import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import type { ByteSource } from './byte-source.ts';
import { encodeUri } from './signing.ts';
import { callStorage, hasStatus, type Storage } from './storage.ts';

export interface PutObjectInput {
  key: string;
  body: Readable;
  /** Exact number of bytes that `body` yields. */
  size: number;
  contentType: string;
  signal?: AbortSignal;
}

/** What the storage knows about one object without reading it. `etag` keeps its quotes (RFC 9110, 8.8.3). */
export interface ObjectHead {
  size: number;
  etag: string;
  contentType: string;
  lastModified: Date;
}

/** DeleteObjects takes at most this many keys a call (S3 API reference). */
const KEYS_A_CALL = 1000;
const CHECK_WITHIN_MS = 3000;

/**
 * Streams an object into the storage; its payload is not hashed beforehand, so nothing is held in memory. The stream is
 * destroyed when the storage fails. An upload that breaks off leaves no object.
 * @throws {UnavailableError} when the storage is away; an `AbortError` when `signal` fires.
 */
export async function putObject(storage: Storage, input: PutObjectInput): Promise<{ etag: string }> {
  const { key, body, size, contentType, signal } = input;
  const command = new PutObjectCommand({
    Bucket: storage.settings.bucket,
    Key: key,
    Body: body,
    ContentLength: size,
    ContentType: contentType,
  });
  try {
    const { ETag } = await callStorage(() => storage.client.send(command, signal ? { abortSignal: signal } : {}));
    return { etag: ETag ?? '' };
  } finally {
    body.destroy();
  }
}

/**
 * Removes objects; a key that is not there counts as removed.
 * @throws {UnavailableError} when the storage is away or keeps any of them.
 */
export async function deleteObjects(storage: Storage, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += KEYS_A_CALL) {
    const Objects = keys.slice(start, start + KEYS_A_CALL).map((Key) => ({ Key }));
    const command = new DeleteObjectsCommand({
      Bucket: storage.settings.bucket,
      Delete: { Objects, Quiet: true },
    });
    await callStorage(async () => {
      const { Errors = [] } = await storage.client.send(command);
      if (Errors.length > 0) throw new Error(`The storage kept ${Errors.length} objects: ${Errors[0]?.Code}.`);
    });
  }
}

/** Size, type and ETag of an object, or `null` where there is none. */
export async function findObject(storage: Storage, key: string): Promise<ObjectHead | null> {
  return callStorage(async () => {
    try {
      const head = await storage.client.send(new HeadObjectCommand({ Bucket: storage.settings.bucket, Key: key }));
      return {
        size: head.ContentLength ?? 0,
        etag: head.ETag ?? '',
        contentType: head.ContentType ?? 'application/octet-stream',
        lastModified: head.LastModified ?? new Date(0),
      };
    } catch (error) {
      if (hasStatus(error, 404)) return null;
      throw error;
    }
  });
}

/**
 * Opens an object for reading, all of it or `range` (both ends inclusive, in bytes), or `null` where there is none.
 * The caller reads the stream to its end or destroys it.
 * @throws {ConflictError} `file_replaced` when it is not the version with this `etag` any more.
 */
export async function readObject(
  storage: Storage,
  key: string,
  { range, etag }: { range?: { start: number; end: number } | undefined; etag?: string | undefined } = {},
): Promise<Readable | null> {
  return callStorage(async () => {
    try {
      const { Body } = await storage.client.send(
        new GetObjectCommand({
          Bucket: storage.settings.bucket,
          Key: key,
          ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
          ...(etag ? { IfMatch: etag } : {}),
        }),
      );
      return Body as Readable;
    } catch (error) {
      if (hasStatus(error, 404)) return null;
      if (hasStatus(error, 412)) throw replaced();
      throw error;
    }
  });
}

/** An object as bytes that can be read from anywhere, for `checkContent`. `size` is what `findObject` said. */
export function objectSource(storage: Storage, key: string, size: number): ByteSource {
  return {
    size,
    open(range) {
      async function* read(): AsyncGenerator<Buffer> {
        const body = await readObject(storage, key, { range });
        if (body === null) throw new NotFoundError('This file is no longer here.');
        yield* body;
      }
      return Readable.from(read(), { objectMode: false });
    },
  };
}

/**
 * Copies an object inside the storage, but only as it was when it had this `etag`: what was checked is what is copied.
 * @throws {NotFoundError} when the source is not there; {ConflictError} when it was replaced meanwhile.
 */
export async function copyObject(
  storage: Storage,
  { from, to, etag }: { from: string; to: string; etag: string },
): Promise<void> {
  const { bucket } = storage.settings;
  const command = new CopyObjectCommand({
    Bucket: bucket,
    Key: to,
    CopySource: `${bucket}/${from.split('/').map(encodeUri).join('/')}`,
    CopySourceIfMatch: etag,
  });
  await callStorage(async () => {
    try {
      await storage.client.send(command);
    } catch (error) {
      if (hasStatus(error, 404)) throw new NotFoundError('The file is not there.');
      if (hasStatus(error, 412)) throw replaced();
      throw error;
    }
  });
}

function replaced(): ConflictError {
  return new ConflictError('This file was replaced in the meantime.', 'file_replaced');
}

/**
 * Rejects unless the bucket is there and our key opens it.
 * @throws {UnavailableError} when the storage is away; what it answered with 4xx otherwise.
 */
export async function checkBucket(
  storage: Storage,
  { withinMs = CHECK_WITHIN_MS }: { withinMs?: number } = {},
): Promise<void> {
  const command = new HeadBucketCommand({ Bucket: storage.settings.bucket });
  const abortSignal = AbortSignal.timeout(withinMs);
  await callStorage(() => storage.client.send(command, { abortSignal }));
}

/** Whether no object is in the bucket. */
export async function isEmptyBucket(storage: Storage): Promise<boolean> {
  const command = new ListObjectsV2Command({ Bucket: storage.settings.bucket });
  const { Contents = [] } = await callStorage(() => storage.client.send(command));
  return Contents.length === 0;
}

/** Makes the bucket where it does not exist yet. For start-up and tests; safe when several processes do it at once. */
export async function ensureBucket(storage: Storage): Promise<void> {
  const Bucket = storage.settings.bucket;
  await callStorage(async () => {
    try {
      await storage.client.send(new HeadBucketCommand({ Bucket }));
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
      await storage.client.send(new CreateBucketCommand({ Bucket })).catch((failure: unknown) => {
        if (!hasStatus(failure, 409)) throw failure;
      });
    }
  });
}
