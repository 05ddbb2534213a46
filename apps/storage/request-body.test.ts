import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { PUT_MAX_BYTES, readText, verifiedBody } from './request-body.ts';
import { S3Error } from './s3-error.ts';

/** A request with this body in pieces, and with headers that announce something. */
const requestOf = (pieces: readonly string[], headers: Record<string, string>) =>
  Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), { headers }) as unknown as IncomingMessage;

async function outcome(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

const BODY = 'a body';
const SHA256 = createHash('sha256').update(BODY).digest('hex');
const CRC32 = Buffer.from(crc32(BODY).toString(16).padStart(8, '0'), 'hex').toString('base64');

test('a body is read if it is as long as it was announced, and has the announced sums', async () => {
  const length = String(BODY.length);
  const rows: [what: string, headers: Record<string, string>, payload: string, expected: string][] = [
    ['an unsigned body', { 'content-length': length }, 'UNSIGNED-PAYLOAD', BODY],
    ['a signed body', { 'content-length': length }, SHA256, BODY],
    ['with a sum', { 'content-length': length, 'x-amz-checksum-crc32': CRC32 }, SHA256, BODY],
    ['another sum', { 'content-length': length, 'x-amz-checksum-crc32': 'AAAAAA==' }, SHA256, 'BadDigest'],
    ['another hash', { 'content-length': length }, 'a'.repeat(64), 'XAmzContentSHA256Mismatch'],
    ['no length', {}, SHA256, 'MissingContentLength'],
    ['a length that is no number', { 'content-length': '0x6' }, SHA256, 'MissingContentLength'],
    ['a byte less than announced', { 'content-length': '7' }, 'UNSIGNED-PAYLOAD', 'IncompleteBody'],
    ['too much', { 'content-length': String(PUT_MAX_BYTES + 1) }, SHA256, 'EntityTooLarge'],
    ['as much as S3 takes', { 'content-length': String(PUT_MAX_BYTES) }, SHA256, 'IncompleteBody'],
    ['signed pieces', { 'content-length': length }, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'NotImplemented'],
    ['a hash in capitals', { 'content-length': length }, SHA256.toUpperCase(), 'NotImplemented'],
  ];
  for (const [what, headers, payload, expected] of rows) {
    const read = async () => (await buffer(verifiedBody(requestOf(['a ', 'bo', 'dy'], headers), payload))).toString();
    assert.equal(await outcome(read), expected, what);
  }
});

test('a document is read up to its limit, with letters that two pieces share', async () => {
  async function* pieces() {
    for (const byte of Buffer.from('Ünï')) yield Buffer.of(byte);
  }
  assert.deepEqual(
    [await outcome(() => readText(pieces(), 5)), await outcome(() => readText(pieces(), 4))],
    ['Ünï', 'MaxMessageLengthExceeded'],
  );
});
