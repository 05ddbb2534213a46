import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { putObject } from '@case-platform/modules/storage';
import { eventually } from '../support/eventually.ts';
import { createDice, METHODS, say } from '../support/hostile/odd-requests.ts';
import { startDevelopmentStore } from './store-under-test.ts';

const store = await startDevelopmentStore();
after(() => store[Symbol.asyncDispose]());
const { accessKeyId, secretAccessKey, region } = store.storage.settings;
const { origin, host } = new URL(store.bucketUrl);

const KEY = 'there.txt';
const PATHS = [
  '/',
  '/files',
  '/files/',
  '/other/a',
  `/files/${KEY}`,
  `/files/${KEY}`,
  '/files/new',
  '/files/a/../b',
  '/files//',
  '/files/%00',
  '/files/%ff',
  '/files/%',
  '/files/%2e%2e%2f%2e%2e%2fetc',
  '/files/é',
  `/files/${'k'.repeat(1100)}`,
  '*',
  'files',
  '//',
  '/%66iles/a',
  '/files/.',
  '/files/drafts/../../x',
  '/../../etc/passwd',
];
const QUERIES: [string, string][] = [
  ...(['uploads', 'delete', 'acl', 'uploadId', 'partNumber', 'list-type', ''] as const).map((name): [string, string] => [
    name,
    '',
  ]),
  ...([
    ['list-type', '2'],
    ['max-keys', '-1'],
    ['max-keys', '9'.repeat(30)],
    ['prefix', '\u0000'],
    ['delimiter', '//'],
  ] as [string, string][]),
  ...([
    ['continuation-token', '%'],
    ['start-after', '\uffff'],
    ['encoding-type', 'url'],
    ['partNumber', '0'],
  ] as [string, string][]),
  ...([
    ['partNumber', '10001'],
    ['uploadId', '../../x'],
    ['uploadId', 'x'.repeat(300)],
    ['response-content-type', 'a\nb'],
  ] as [string, string][]),
  ...([
    ['response-content-disposition', '\r\nx: y'],
    ['__proto__', '1'],
    ['X-Amz-Signature', 'x'],
    ['versionId', 'null'],
  ] as [string, string][]),
];
const HEADERS: [string, string][] = [
  ...([
    ['range', 'bytes=9-1'],
    ['range', 'bytes=-0'],
    ['range', `bytes=${'9'.repeat(30)}-`],
    ['if-match', '"'],
    ['if-none-match', '*'],
  ] as [string, string][]),
  ...([
    ['if-modified-since', 'yesterday'],
    ['x-amz-copy-source', '%'],
    ['x-amz-copy-source', `/files/${KEY}`],
  ] as [string, string][]),
  ...([
    ['x-amz-copy-source', '/files/none'],
    ['x-amz-copy-source', '../..'],
    ['x-amz-copy-source-if-match', '"x"'],
  ] as [string, string][]),
  ...([
    ['x-amz-decoded-content-length', '-1'],
    ['x-amz-decoded-content-length', '1e9'],
    ['content-encoding', 'aws-chunked'],
  ] as [string, string][]),
  ...([
    ['x-amz-checksum-crc32', 'x'],
    ['x-amz-sdk-checksum-algorithm', 'MD4'],
    ['x-amz-trailer', 'x-amz-checksum-crc32'],
  ] as [string, string][]),
  ...([
    ['content-md5', 'x'],
    ['expect', '100-continue'],
    ['x-amz-meta-a', 'b'],
    ['cache-control', 'x'.repeat(3000)],
    ['origin', 'null'],
  ] as [string, string][]),
];
const PAYLOADS = [
  'UNSIGNED-PAYLOAD',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'x',
  '0'.repeat(64),
];
const BODIES = [
  '',
  'x',
  '<Delete>',
  '<Delete><Object><Key>a</Key></Object></Delete>',
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '<CompleteMultipartUpload><Part><PartNumber>x</PartNumber></Part></CompleteMultipartUpload>',
  '<a>'.repeat(5000),
  '5\r\nabcde\r\n0\r\n\r\n',
  'ffffffffffffffff;chunk-signature=x\r\n',
  '-1\r\n\r\n',
  '--b\r\n\r\n--b--',
  '\xff\xfe',
];
const TYPES = ['text/plain', 'application/xml', 'multipart/form-data; boundary=b', 'multipart/form-data', ';'];

const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest();
const sha256 = (value: string) => createHash('sha256').update(value, 'latin1').digest('hex');
const encode = (value: string) =>
  encodeURIComponent(value).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Signs any request with Signature Version 4, so that it gets past the signature check. */
function sign(method: string, path: string, query: string, headers: Record<string, string>): string {
  const time = headers['x-amz-date'] ?? '';
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join('');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const canonical = [method, path, query, lines, names.join(';'), headers['x-amz-content-sha256']].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, time.slice(0, 8)));
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`;
}

/** The open files of this process in the store's folder. */
async function openFiles(): Promise<string[]> {
  const all = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(store.folder));
}

test('any request to the storage is answered below 500, and leaves no file open or half written', async () => {
  const content = Buffer.from('content');
  await putObject(store.storage, {
    key: KEY,
    body: Readable.from([content]),
    size: content.length,
    contentType: 'text/plain',
  });
  const roll = createDice(12);
  const pick = <One>(from: readonly One[]) => from[roll(from.length)] as One;
  const answered = new Map<number, number>();
  for (let n = 0; n < 600; n++) {
    const [method, path, body] = [pick(METHODS), pick(PATHS), pick(BODIES)];
    const named = Array.from({ length: roll(3) }, () => pick(QUERIES)).map(([name, value]) => [encode(name), encode(value)]);
    const query = named
      .map((pair) => pair.join('='))
      .sort()
      .join('&');
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const headers = {
      host,
      'x-amz-date': date,
      'x-amz-content-sha256': pick(PAYLOADS),
      ...Object.fromEntries([pick(HEADERS), pick(HEADERS)]),
    };
    const isSigned = roll(8) > 0;
    const head = [
      `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(isSigned ? [`authorization: ${sign(method, path, query, headers)}`] : []),
      `content-type: ${pick(TYPES)}`,
      `content-length: ${body.length}`,
      'connection: close',
    ];
    const { status } = await say(origin, head, body);
    assert.ok(status < 500 || status === 501, `${n}: ${JSON.stringify([head, body.slice(0, 100), status])}`);
    answered.set(status, (answered.get(status) ?? 0) + 1);
  }
  for (const status of [200, 403, 404, 405]) assert.ok(answered.has(status), `some were answered with ${status}`);
  // An interrupted request is cleaned up a moment after its answer.
  await eventually('no file is open', async () => (await openFiles()).length === 0);
  await eventually('nothing is half written', async () => (await store.listDrafts())?.length === 0);
  const { status, heard } = await say(origin, [`GET /health/live HTTP/1.1`, `Host: ${host}`, 'Connection: close']);
  assert.deepEqual([status, /"ok"/.test(heard)], [200, true]);
});
