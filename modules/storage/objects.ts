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
  /** The exact number of bytes in `body`. */
  size: number;
  contentType: string;
  signal?: AbortSignal;
}

/** The metadata of an object. `etag` includes its quotes (RFC 9110, 8.8.3). */
export interface ObjectHead {
  size: number;
  etag: string;
  contentType: string;
  lastModified: Date;
}

/** The most keys in one DeleteObjects call (S3 API reference). */
const KEYS_A_CALL = 1000;
const CHECK_WITHIN_MS = 3000;

/**
 * Streams an object into the storage. The payload is not hashed first, so it is never in memory. The stream is destroyed when the
 * storage fails, and an interrupted upload leaves no object.
 * @throws {UnavailableError} when the storage is away.
 * @throws an `AbortError` when `signal` aborts.
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
 * Deletes objects; a missing key counts as deleted.
 * @throws {UnavailableError} when the storage is away or does not delete one of them.
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

/** The size, type, and ETag of an object, or `null` if it does not exist. */
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
 * Opens an object for reading, all of it or `range` (in bytes, both ends inclusive); `null` if it does not exist. The caller
 * reads the stream to its end or destroys it.
 * @throws {ConflictError} `file_replaced` when the object no longer has this `etag`.
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

/** An object that can be read at any position, for `parseFileType`. `size` comes from `findObject`. */
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
 * Copies an object inside the storage if it still has this `etag`, so that the checked version is the copied one.
 * @throws {NotFoundError} when the source does not exist.
 * @throws {ConflictError} `file_replaced` when it was replaced meanwhile.
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
 * Requires that the bucket exists and accepts our key.
 * @throws {UnavailableError} when the storage is away; its error for another 4xx.
 */
export async function requireBucket(storage: Storage, { withinMs = CHECK_WITHIN_MS }: { withinMs?: number } = {}): Promise<void> {
  const command = new HeadBucketCommand({ Bucket: storage.settings.bucket });
  const abortSignal = AbortSignal.timeout(withinMs);
  await callStorage(() => storage.client.send(command, { abortSignal }));
}

export async function isEmptyBucket(storage: Storage): Promise<boolean> {
  const command = new ListObjectsV2Command({ Bucket: storage.settings.bucket });
  const { Contents = [] } = await callStorage(() => storage.client.send(command));
  return Contents.length === 0;
}

/** Creates the bucket if it does not exist. For startup and tests; several processes can call it at the same time. */
export async function createMissingBucket(storage: Storage): Promise<void> {
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
