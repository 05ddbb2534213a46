import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { PUT_MAX_BYTES, readText, verifiedBody } from './request-body.ts';
import { requireShortKey } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { xmlDocument, xmlElements, xmlText } from './xml.ts';

const PIECES = ['a', '', 'bcd', 'e'.repeat(1000)].map((text) => Buffer.from(text));
const WHOLE = Buffer.concat(PIECES);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
function checksum(bytes: Buffer): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString('base64');
}

/** Reads a body that arrives in these pieces. */
async function read(headers: Record<string, string>, payload = 'UNSIGNED-PAYLOAD', pieces = PIECES): Promise<string> {
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  for (const piece of [...pieces, null]) request.push(piece);
  try {
    const received: Buffer[] = [];
    for await (const piece of verifiedBody(request, payload)) received.push(piece);
    return Buffer.concat(received).equals(Buffer.concat(pieces)) ? 'whole' : 'changed';
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

test('[UPLOAD-1] a body is accepted only with its length, its digest, and its checksum, however it is divided', async () => {
  const length = { 'content-length': String(WHOLE.length) };
  const divisions = [PIECES, [WHOLE], [...WHOLE].map((byte) => Buffer.from([byte]))];
  for (const pieces of divisions) {
    const sum = { ...length, 'x-amz-checksum-crc32': checksum(WHOLE) };
    assert.equal(await read(length, undefined, pieces), 'whole');
    assert.equal(await read(sum, sha256(WHOLE), pieces), 'whole');
    assert.equal(await read({ ...length, 'x-amz-checksum-crc32': checksum(WHOLE.subarray(1)) }, undefined, pieces), 'BadDigest');
    assert.equal(await read(sum, sha256(WHOLE.subarray(1)), pieces), 'XAmzContentSHA256Mismatch');
    assert.equal(await read({ 'content-length': String(WHOLE.length + 1) }, undefined, pieces), 'IncompleteBody');
  }
  assert.equal(await read({ 'content-length': '0' }, sha256(Buffer.alloc(0)), []), 'whole', 'nothing');
  for (const text of ['', '-1', '1.0', '0x1', ' 1', '1'.repeat(16)])
    assert.equal(await read({ 'content-length': text }), 'MissingContentLength', text);
  assert.equal(await read({ 'content-length': String(PUT_MAX_BYTES + 1) }), 'EntityTooLarge');
  assert.equal(await read({ 'content-length': String(PUT_MAX_BYTES) }, undefined, []), 'IncompleteBody');
  assert.equal(await read(length, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'), 'NotImplemented');
});

test('[EDGE-2] a document and a key have up to their bytes, counted as they are sent', async () => {
  const text = async (bytes: number, max: number) => {
    const pieces = async function* () {
      yield Buffer.alloc(1, 'a');
      yield Buffer.alloc(bytes - 1, 'a');
    };
    return readText(pieces(), max).then(
      ({ length }) => length,
      ({ code }) => code,
    );
  };
  assert.deepEqual([await text(10, 10), await text(11, 10)], [10, 'MaxMessageLengthExceeded']);
  for (const sign of ['a', 'é', '漢', '😀']) {
    const most = sign.repeat(1024 / Buffer.byteLength(sign));
    const fits = Buffer.byteLength(most) === 1024 ? most : `${sign.repeat(Math.floor(1024 / Buffer.byteLength(sign)))}a`;
    requireShortKey(fits);
    assert.throws(() => requireShortKey(`${fits}a`), { code: 'KeyTooLongError' }, sign);
  }
});

test('names of objects survive XML in both directions', () => {
  for (const text of [
    'a&b',
    '&amp;',
    '<Key>',
    '</Key>',
    `"quotes" and 'more'`,
    'tab\tline\nreturn\r',
    'é漢😀',
    ']]>',
    '&#65;',
    '',
  ]) {
    const document = xmlDocument('List', { Contents: [{ Key: text }, { Key: 'other' }] });
    assert.equal(xmlText(document, 'Key'), text);
    assert.equal(xmlElements(document, 'Contents').length, 2);
  }
  assert.equal(
    xmlDocument('List', { a: undefined, b: 0, c: false }, { namespace: false }).split('\n')[1],
    '<List><b>0</b><c>false</c></List>',
  );
  for (const document of ['<!DOCTYPE x><Key>a</Key>', '<Key>a'])
    assert.throws(() => xmlText(document, 'Key'), { code: 'MalformedXML' });
});
