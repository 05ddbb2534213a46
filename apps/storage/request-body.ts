import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { S3Error } from './s3-error.ts';
import { equalInConstantTime, UNSIGNED_PAYLOAD } from './sigv4.ts';

/** The largest object of a single PUT (Amazon S3, 5 GiB). */
export const PUT_MAX_BYTES = 5 * 1024 ** 3;

/**
 * Returns the body of a signed request, checked against everything that the client announced. If it is read to the end without an
 * error, its length, signed SHA-256, and CRC-32 are right.
 * @param payload the signed value for the body
 * @throws {S3Error} at once MissingContentLength, EntityTooLarge or NotImplemented; while reading IncompleteBody, BadDigest or
 *   XAmzContentSHA256Mismatch.
 */
export function verifiedBody(request: IncomingMessage, payload: string): AsyncIterable<Buffer> {
  const { 'content-length': length = '', 'x-amz-checksum-crc32': checksum } = request.headers;
  if (payload !== UNSIGNED_PAYLOAD && !/^[0-9a-f]{64}$/.test(payload)) {
    throw new S3Error('NotImplemented', 'A body must be sent whole, not in signed chunks.');
  }
  if (!/^\d{1,15}$/.test(length)) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  if (Number(length) > PUT_MAX_BYTES) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.');
  }
  return verifyWhileReading(request, { length: Number(length), payload, checksum: checksum?.toString() });
}

interface Expected {
  length: number;
  payload: string;
  /** In Base64. */
  checksum: string | undefined;
}

async function* verifyWhileReading(request: IncomingMessage, expected: Expected): AsyncGenerator<Buffer> {
  const sha256 = expected.payload === UNSIGNED_PAYLOAD ? undefined : createHash('sha256');
  let sum = 0;
  let size = 0;
  // Stopping halfway leaves the connection open, so that the answer can still be sent.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    sha256?.update(piece);
    if (expected.checksum !== undefined) sum = crc32(piece, sum);
    yield piece;
  }
  if (size < expected.length) throw new S3Error('IncompleteBody', 'The body is shorter than it announced.');
  if (sha256 !== undefined && !equalInConstantTime(sha256.digest('hex'), expected.payload)) {
    const message = 'The provided x-amz-content-sha256 header does not match what was computed.';
    throw new S3Error('XAmzContentSHA256Mismatch', message);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  if (expected.checksum !== undefined && bytes.toString('base64') !== expected.checksum) {
    throw new S3Error('BadDigest', 'The CRC32 you specified did not match the calculated one.');
  }
}

/** Reads a small document. @throws {S3Error} MaxMessageLengthExceeded above `maxBytes` */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** How much of a rejected body is read and discarded, and for how long, before the connection is cut. */
const DRAIN_BYTES = 256 * 1024 * 1024;
const DRAIN_MS = 30_000;

/**
 * Reads and discards the rest of a rejected body, because a client that is still sending would see a broken pipe instead of the
 * answer if the connection closed. It is limited, so that a client cannot keep it busy forever.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytesLeft = DRAIN_BYTES;
  const timer = setTimeout(() => request.destroy(), DRAIN_MS).unref();
  request.on('data', (piece: Buffer) => {
    bytesLeft -= piece.length;
    if (bytesLeft < 0) request.destroy();
  });
  request.once('close', () => clearTimeout(timer));
  request.on('error', () => {});
  request.resume();
}
