import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { DomainError, UnavailableError } from '@case-platform/lib/errors';
import { isTemporary } from '@case-platform/words/retry-after';

/** The address and credentials of the object storage. Addresses look like `https://s3.example.com`. */
export interface StorageSettings {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `true` puts the bucket into the path, `false` into the host name. */
  forcePathStyle: boolean;
  /** The address of the storage for browsers, if it differs from `endpoint`. */
  publicEndpoint?: string;
}

/** One bucket, and the client to reach it. */
export interface Storage {
  readonly client: S3Client;
  readonly settings: Readonly<StorageSettings>;
}

const CONNECT_WITHIN_MS = 3_000;
const IDLE_AT_MOST_MS = 30_000;
const SOCKETS_AT_MOST = 64;
/** Rejections of our key, for example while it is being changed, which say nothing about the call itself. */
const KEY_REFUSED = [401, 403];

/** Creates the client, which opens no connection yet. */
export function createStorage(settings: StorageSettings): Storage {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = settings;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Many stores lack the checksum trailer that the client would otherwise add to every upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // The default logger writes to the console. Errors reach the caller, who logs them once.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: {
      connectionTimeout: CONNECT_WITHIN_MS,
      socketTimeout: IDLE_AT_MOST_MS,
      httpAgent: { keepAlive: true, maxSockets: SOCKETS_AT_MOST },
      httpsAgent: { keepAlive: true, maxSockets: SOCKETS_AT_MOST },
    },
  });
  return { client, settings };
}

export function closeStorage(storage: Storage): void {
  storage.client.destroy();
}

/**
 * Makes one call to the storage and classifies its error. An abort by the caller is thrown unchanged, and so is an answer that
 * says that the call itself is wrong (most 4xx). Any other error means that the storage is away.
 * @throws {UnavailableError} when the storage cannot be reached, breaks off, rejects our key, or answers with a temporary status.
 */
export async function callStorage<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof DomainError || isAbort(error)) throw error;
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    const isRefusal = status !== undefined && status >= 400 && !isTemporary(status) && !KEY_REFUSED.includes(status);
    if (isRefusal) throw error;
    const unavailable = new UnavailableError(5, 'The file storage is not available right now. Try again in a moment.');
    unavailable.cause = error;
    throw unavailable;
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
