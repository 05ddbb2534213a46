import { S3Error } from './s3-error.ts';

/** The object of a request, from the address exactly as it was sent. */
export interface RequestTarget {
  /** Empty for the service itself (`/`). */
  bucket: string;
  /** Empty for the bucket itself. */
  key: string;
  query: ReadonlyMap<string, string>;
  /** The path as sent, still encoded. */
  rawPath: string;
}

const KEY_MAX_BYTES = 1024;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * Splits a path-style address (`/bucket/key?query`). Nothing is normalized: `..`, doubled slashes, and a trailing slash are part
 * of the key, as in S3.
 * @throws {S3Error} InvalidURI, InvalidBucketName, KeyTooLongError
 */
export function parseRequestTarget(url: string): RequestTarget {
  const mark = url.indexOf('?');
  const rawPath = mark === -1 ? url : url.slice(0, mark);
  const path = decode(rawPath);
  const slash = path.indexOf('/', 1);
  const bucket = slash === -1 ? path.slice(1) : path.slice(1, slash);
  const key = slash === -1 ? '' : path.slice(slash + 1);
  if (bucket !== '' && !BUCKET_NAME.test(bucket)) {
    throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.', { BucketName: bucket });
  }
  requireShortKey(key);
  return { bucket, key, query: parseQuery(mark === -1 ? '' : url.slice(mark + 1)), rawPath };
}

/** @throws {S3Error} KeyTooLongError above 1024 bytes in UTF-8 */
export function requireShortKey(key: string): void {
  if (Buffer.byteLength(key) > KEY_MAX_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long.');
}

function parseQuery(text: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decode(name.replaceAll('+', ' '));
    if (query.has(key)) throw new S3Error('InvalidArgument', `The query parameter ${key} is given twice.`);
    query.set(key, decode(value.join('=').replaceAll('+', ' ')));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  }
}

/** Percent-encodes all but the unreserved characters of RFC 3986 with upper-case digits, as Signature Version 4 requires. */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
