import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { decodeAwsChunked } from './aws-chunked.ts';
import { CHECKSUM_NAMES, type ChecksumName, startChecksum } from './checksums.ts';
import { S3Error } from './s3-error.ts';
import { equalInConstantTime, UNSIGNED_PAYLOAD, type VerifiedSignature } from './sigv4.ts';

export interface Checksum {
  name: ChecksumName;
  value: string;
}

/** A body that is proven while it is read: reading it to the end without an error means that every digest was right. */
export interface ProvenBody {
  bytes: AsyncIterable<Buffer>;
  /** The checksum that the client sent along, known once the body has been read. */
  checksum(): Checksum | undefined;
}

/** Largest object of a single PUT (Amazon S3, 5 GiB). */
const PUT_MAX_BYTES = 5 * 1024 ** 3;
const STREAMING = /^STREAMING-(AWS4-HMAC-SHA256-PAYLOAD|UNSIGNED-PAYLOAD)(-TRAILER)?$/;

/**
 * The body of a signed request, unwrapped and checked against everything that the client said of it: length, the signed
 * SHA-256 or the signatures of its chunks, Content-MD5 and checksums in headers or trailer.
 * @throws {S3Error} at once MissingContentLength, EntityTooLarge, InvalidDigest or InvalidRequest; while reading
 *   IncompleteBody, BadDigest, XAmzContentSHA256Mismatch or SignatureDoesNotMatch.
 */
export function provenBody(request: IncomingMessage, signature: VerifiedSignature): ProvenBody {
  const { headers } = request;
  const streaming = STREAMING.exec(signature.payload);
  const length = announcedLength(headers, streaming !== null);
  const trailers = new Map<string, string>();
  const announced = announcedChecksum(headers, trailers);
  const md5 = contentMd5(headers);
  const raw = piecesOf(request);
  const signed = streaming?.[1] === 'AWS4-HMAC-SHA256-PAYLOAD';
  const decoded =
    streaming === null
      ? raw
      : decodeAwsChunked({
          body: raw,
          signing: signed ? signature : null,
          trailers,
          hasTrailer: streaming[2] !== undefined,
        });
  const sha256 = streaming === null && signature.payload !== UNSIGNED_PAYLOAD ? signature.payload : undefined;
  return { bytes: check(decoded, { length, md5, sha256, announced }), checksum: () => announced?.read() };
}

/** Reads a small document. @throws {S3Error} MaxMessageLengthExceeded above `maxBytes` */
export async function readText(body: ProvenBody, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body.bytes) {
    size += piece.length;
    if (size > maxBytes) throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

interface Expected {
  length: number;
  md5: string | undefined;
  sha256: string | undefined;
  announced: ReturnType<typeof announcedChecksum>;
}

async function* check(source: AsyncIterable<Buffer>, expected: Expected): AsyncGenerator<Buffer> {
  const { length, announced } = expected;
  const md5 = expected.md5 === undefined ? undefined : createHash('md5');
  const sha256 = expected.sha256 === undefined ? undefined : createHash('sha256');
  const checksum = announced === undefined ? undefined : startChecksum(announced.name);
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > length) throw new S3Error('IncompleteBody', 'The body is longer than it announced.');
    md5?.update(piece);
    sha256?.update(piece);
    checksum?.update(piece);
    yield piece;
  }
  if (size < length) throw new S3Error('IncompleteBody', 'The body is shorter than it announced.');
  if (md5 !== undefined && md5.digest('base64') !== expected.md5) {
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  if (sha256 !== undefined && !equalInConstantTime(sha256.digest('hex'), expected.sha256 ?? '')) {
    const message = 'The provided x-amz-content-sha256 header does not match what was computed.';
    throw new S3Error('XAmzContentSHA256Mismatch', message);
  }
  if (checksum !== undefined && checksum.digest() !== announced?.read()?.value) {
    throw new S3Error(
      'BadDigest',
      `The ${announced?.name.toUpperCase()} you specified did not match the calculated one.`,
    );
  }
}

function announcedLength(headers: IncomingHttpHeaders, streaming: boolean): number {
  const text = streaming ? headers['x-amz-decoded-content-length'] : headers['content-length'];
  // A GET-like request without a body sends no length; a PUT must, as in S3.
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  if (Number(text) > PUT_MAX_BYTES) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.');
  }
  return Number(text);
}

function contentMd5(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['content-md5'];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[A-Za-z0-9+/]{22}==$/.test(value)) return value;
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
}

function announcedChecksum(headers: IncomingHttpHeaders, trailers: Map<string, string>) {
  const inHeader = CHECKSUM_NAMES.filter((name) => headers[`x-amz-checksum-${name}`] !== undefined);
  const trailer = String(headers['x-amz-trailer'] ?? '').toLowerCase();
  const inTrailer = CHECKSUM_NAMES.filter((name) => trailer.split(/\s*,\s*/).includes(`x-amz-checksum-${name}`));
  const names = [...inHeader, ...inTrailer];
  if (names.length > 1) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  const name = names[0];
  if (name === undefined) return undefined;
  const read = (): Checksum | undefined => {
    const value = inHeader.length > 0 ? headers[`x-amz-checksum-${name}`] : trailers.get(`x-amz-checksum-${name}`);
    return typeof value === 'string' ? { name, value } : undefined;
  };
  return { name, read };
}

/** The body's pieces; giving up half-way leaves the connection open, so that the answer can still be sent. */
function piecesOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}

/** How much of a refused body is read and thrown away, and for how long, before the connection is cut. */
const DRAIN_BYTES = 256 * 1024 * 1024;
const DRAIN_MS = 30_000;

/**
 * Reads on what nobody wants any more: a client that is still sending sees a broken pipe instead of the answer when the
 * connection closes under it. Bounded, so that it cannot be kept busy for ever.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = DRAIN_BYTES;
  const timer = setTimeout(() => request.destroy(), DRAIN_MS).unref();
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) request.destroy();
  });
  request.once('close', () => clearTimeout(timer));
  request.on('error', () => {});
  request.resume();
}
