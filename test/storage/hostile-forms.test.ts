import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { createUploadPolicy, deleteObjects, findObject } from '@case-platform/modules/storage';
import fc from 'fast-check';
import { eventually } from '../support/eventually.ts';
import { fuzzing } from '../support/hostile/fuzzing.ts';
import { fileHeader, hostileForms, largeForms } from '../support/hostile/hostile-forms.ts';
import { formOf, sendForm } from './send-form.ts';
import { startDevelopmentStore } from './store-under-test.ts';

const store = await startDevelopmentStore();
after(() => store[Symbol.asyncDispose]());
const { hostname, port, pathname } = new URL(store.bucketUrl);
const MB = 1024 * 1024;
const TYPE = 'multipart/form-data; boundary=';
const NAMES = { file: 'file', others: ['note', 'key', 'policy'] };
const key = store.newKey();
const { upload_url, upload_fields } = createUploadPolicy(
  store.storage,
  {
    key,
    contentType: 'text/plain',
    maxBytes: 5 * MB,
  },
  new Date(),
);
const nameHeader = (name: string) => `content-disposition: form-data; name="${name}"`;
const FIELDS = Object.entries(upload_fields).map(([name, value]): [string, string] => [nameHeader(name), value]);
const FILE: [string, string] = [fileHeader('file'), 'content'];
const LARGE_FILE: [string, string] = [fileHeader('file'), 'x'.repeat(200_000)];
/** The parts of a form, and its end. */
const form = (boundary: string, parts: readonly [header: string, content: string][], end = '--') =>
  Buffer.from(`${parts.map(([head, body]) => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`).join('')}--${boundary}${end}`);

/** Sends a form in pieces. @returns the status and the S3 code; status 0 if the connection closed without an answer. */
async function send(
  contentType: string,
  pieces: readonly Buffer[],
  isCutShort = false,
): Promise<{ status: number; code: string | undefined }> {
  const size = pieces.reduce((sum, { length }) => sum + length, isCutShort ? 1 : 0);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const answered = new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece;
      if (/^HTTP\/1\.1 204|<\/Error>/.test(text)) resolve(text);
    });
    socket.on('error', () => resolve(text)).once('close', () => resolve(text));
  });
  const type = contentType === '' ? '' : `content-type: ${contentType}\r\n`;
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${type}content-length: ${size}\r\n\r\n`);
  for (const piece of pieces) socket.write(piece);
  if (isCutShort) socket.end();
  const answer = await answered;
  socket.destroy();
  const [, status = 0, code] = /^HTTP\/1\.1 (\d+)(?:[\s\S]*<Code>(\w+))?/.exec(answer) ?? [];
  return { status: Number(status), code };
}

const noDrafts = () => eventually('no draft is left', async () => (await store.listDrafts())?.length === 0);

test('[FILE-8] a form with any parts, boundary, and end is stored or rejected, and always answered', async () => {
  await fc.assert(
    fc.asyncProperty(hostileForms(NAMES, FIELDS), async ({ contentType, bytes, cut, isCutShort }) => {
      const { status } = await send(contentType, [bytes.subarray(0, cut), bytes.subarray(cut)], isCutShort);
      const isAnswered = status === 204 || (status >= 400 && status < 500);
      assert.ok(isAnswered || (isCutShort && status === 0), `${status}`);
    }),
    fuzzing(150, 1500),
  );
  await noDrafts();
});

test('[FILE-8] each fault of a form has its own rejection, and nothing of it is stored', async () => {
  await deleteObjects(store.storage, [key]);
  const nested = form('y', [[nameHeader('key'), key], FILE]).toString();
  const tiny = Array.from({ length: 5000 }, (): [string, string] => [nameHeader('q'), '']);
  const fields = [...FIELDS, FILE];
  const refusals: [what: string, contentType: string, body: Buffer, code: string][] = [
    ['a boundary of 253', `${TYPE}${'x'.repeat(253)}`, form('x'.repeat(253), fields), 'MalformedPOSTRequest'],
    // The HTTP server rejects a content type of this length.
    ['a boundary of 500', `${TYPE}${'x'.repeat(500)}`, form('x'.repeat(500), fields), 'InvalidRequest'],
    ['no boundary', 'multipart/form-data', form('x', fields), 'MalformedPOSTRequest'],
    ['an empty boundary', TYPE, form('', fields), 'MalformedPOSTRequest'],
    ['another boundary', `${TYPE}z`, form('x', fields), 'MalformedPOSTRequest'],
    ['no final boundary', `${TYPE}x`, form('x', fields, ''), 'MalformedPOSTRequest'],
    ['a nested form', `${TYPE}x`, form('x', [['content-type: multipart/mixed; boundary=y', nested]]), 'InvalidArgument'],
    [
      'a header without end',
      `${TYPE}x`,
      Buffer.from('--x\r\ncontent-disposition: form-data; name="file"'),
      'MalformedPOSTRequest',
    ],
    ['the file before the fields', `${TYPE}x`, form('x', [FILE, ...FIELDS]), 'InvalidArgument'],
    ['two files', `${TYPE}x`, form('x', [...fields, FILE]), 'InvalidArgument'],
    // The file arrives together with the fault before it, and the rejection must not wait for it.
    ['a field twice', `${TYPE}x`, form('x', [...FIELDS, [nameHeader('key'), key], LARGE_FILE]), 'MalformedPOSTRequest'],
    ['no file', `${TYPE}x`, form('x', FIELDS), 'InvalidArgument'],
    ['nothing', `${TYPE}x`, Buffer.alloc(0), 'MalformedPOSTRequest'],
    ['thousands of tiny fields', `${TYPE}x`, form('x', [...tiny, ...fields]), 'MalformedPOSTRequest'],
  ];
  const answers = [];
  for (const [what, contentType, body] of refusals) answers.push([what, await send(contentType, [body])]);
  assert.deepEqual(
    answers,
    refusals.map(([what, , , code]) => [what, { status: 400, code }]),
  );
  assert.equal(await findObject(store.storage, key), null);
  await noDrafts();
  for (const length of [1, 70, 252]) {
    const boundary = 'x'.repeat(length);
    const { status } = await send(TYPE + boundary, [form(boundary, fields)]);
    assert.equal(status, 204, `a boundary of ${length}`);
  }
});

test('[FILE-8] two hostile megabytes cost at most two seconds each, and 64 MiB of memory', async () => {
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const beginning = form('x', FIELDS, '').subarray(0, -'--x'.length);
  for (const [name, body] of Object.entries(largeForms(NAMES))) {
    for (const pieces of [[body], [beginning, body]]) {
      const [begun, before] = [performance.now(), memory()];
      const { status } = await send(`${TYPE}x`, pieces);
      assert.ok(status === 204 || (status >= 400 && status < 500), `${name}: ${status}`);
      assert.ok(performance.now() - begun < 2 * 2000, `${name}: time`);
      assert.ok(memory() - before < 64 * MB, `${name}: ${Math.round((memory() - before) / MB)} MiB`);
    }
  }
  await noDrafts();
  assert.equal((await sendForm(upload_url, formOf(upload_fields, Buffer.from('content')))).status, 204);
});
