import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { DomainError, InvalidInputError } from '@case-platform/lib/errors';
import multipart from '@fastify/multipart';
import fc from 'fast-check';
import fastify from 'fastify';
import { eventually } from '../../../test/support/eventually.ts';
import { fuzzing } from '../../../test/support/hostile/fuzzing.ts';
import { fileHeader, hostileForms, largeForms } from '../../../test/support/hostile/hostile-forms.ts';
import { openSpools } from '../../../test/support/hostile/open-spools.ts';
import { readMessageForm } from './message-form.ts';

/** The outcome of each form that the parser has read: null, or its error. */
const outcomes: unknown[] = [];
const app = fastify();
await app.register(multipart);
app.post('/', async (request) => {
  try {
    await using form = await readMessageForm(request);
    outcomes.push(null);
    return { message: form.message, files: form.files.map(({ filename }) => filename) };
  } catch (error) {
    outcomes.push(error);
    throw error;
  }
});
await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());
const { port } = app.server.address() as AddressInfo;

/** Sends a form in pieces, leaves once the server has answered, and checks that only the sender can be at fault. */
async function send(contentType: string, pieces: readonly Buffer[], isCutShort = false): Promise<number | null> {
  const count = outcomes.length;
  const size = pieces.reduce((sum, { length }) => sum + length, isCutShort ? 1 : 0);
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(data.toString('latin1')));
    socket.on('error', () => resolve('')).once('close', () => resolve(''));
  });
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${contentType}\r\ncontent-length: ${size}\r\n\r\n`,
  );
  for (const piece of pieces) socket.write(piece);
  if (isCutShort) socket.end();
  const answer = await answered;
  socket.destroy();
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0) || null;
  assert.ok(status === null || status < 500 || outcomes.at(-1) instanceof DomainError, `${contentType}: ${answer}`);
  for (const error of outcomes.slice(count)) {
    const { code = '' } = (error ?? {}) as { code?: string };
    assert.ok(error === null || error instanceof DomainError || /^FST_/.test(code), String(error));
  }
  return status;
}

const NAMES = { file: 'files', others: ['message', 'recipients', 'case_id'] };
const MB = 1024 * 1024;

test('[FILE-8] forms of any parts, boundary, and end are read or rejected as the sender’s fault', async () => {
  await fc.assert(
    fc.asyncProperty(hostileForms(NAMES), async ({ contentType, bytes, cut, isCutShort }) => {
      await send(contentType, [bytes.subarray(0, cut), bytes.subarray(cut)], isCutShort);
    }),
    fuzzing(150, 1500),
  );
});

test('[FILE-8] a boundary has 1 to 70 characters', async () => {
  for (const length of [0, 1, 70, 71, 256, 257, 1000, 9000]) {
    const boundary = 'x'.repeat(length);
    const body = Buffer.from(`--${boundary}\r\n${fileHeader('files')}\r\n\r\na\r\n--${boundary}--\r\n`);
    const status = await send(`multipart/form-data; boundary=${boundary}`, [body]);
    assert.ok(length >= 1 && length <= 70 ? status === 200 : outcomes.at(-1) instanceof DomainError, String(length));
  }
});

/** Parts as programs write them, with the boundary `x`. */
const part = (header: string, content: string) => `--x\r\n${header}\r\n\r\n${content}\r\n`;
const text = (content: string) => part('Content-Disposition: form-data; name="message"', content);
const file = (names: string) => part(`Content-Disposition: form-data; name="files"; ${names}\r\nContent-Type: text/plain`, 'a');

test('[FILE-8, FILE-9] forms are read as the tests of other parsers write them, or rejected as not readable', async () => {
  const rows: [what: string, form: string, expected: { message: string; files: string[] } | number, type?: string][] = [
    [
      'small letters, and line ends in the text',
      `--x\r\ncontent-disposition: form-data; name=message\r\n\r\na\r\nb\r\r\n--x--`,
      { message: 'a\r\nb\r', files: [] },
    ],
    ['a text before and after', `Hello\r\n${text('a')}--x--\r\nBye`, { message: 'a', files: [] }],
    ['files before the text', `${file('filename="a.txt"')}${text('a')}--x--\r\n`, { message: 'a', files: ['a.txt'] }],
    ['quotes as curl sends them', `${file('filename="a \\"b\\".txt"')}--x--`, { message: '', files: ['a "b".txt'] }],
    ['quotes as browsers send them', `${file('filename="a %22b%22.txt"')}--x--`, { message: '', files: ['a "b".txt'] }],
    ['an encoded name', `${file(`filename*=UTF-8''na%C3%AFve.txt`)}--x--`, { message: '', files: ['naïve.txt'] }],
    ['a name in UTF-8', `${file('filename="März – Ergebnis.txt"')}--x--`, { message: '', files: ['März – Ergebnis.txt'] }],
    ['a path of Windows', `${file('filename="C:\\Users\\paige\\scan.txt"')}--x--`, { message: '', files: ['scan.txt'] }],
    [
      'the file name before the name',
      `${part('Content-Disposition: form-data; filename="a.txt"; name="files"', 'a')}--x--`,
      { message: '', files: ['a.txt'] },
    ],
    ['a quoted boundary', `${text('a')}--x--`, { message: 'a', files: [] }, 'multipart/form-data; boundary="x"'],
    [
      'a parameter before the boundary',
      `${text('a')}--x--`,
      { message: 'a', files: [] },
      'multipart/form-data; charset=utf-8; boundary=x',
    ],
    [
      'an unknown field',
      `${part('Content-Disposition: form-data; name="_charset_"', 'utf-8')}${text('a')}--x--`,
      { message: 'a', files: [] },
    ],
    [
      'an empty file input',
      `${part('Content-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream', '')}--x--`,
      { message: '', files: [] },
    ],
    [
      'a text that names its encoding',
      `${part('Content-Disposition: form-data; name="message"\r\nContent-Type: text/plain; charset=utf-8', 'é')}--x--`,
      { message: 'é', files: [] },
    ],
    ['no parts', '--x--\r\n', { message: '', files: [] }],
    ['line feeds only', `${text('a').replaceAll('\r', '')}--x--`, 422],
    ['no closing boundary', text('a'), 422],
    ['a closing boundary without hyphens', `${text('a')}--x`, 422],
    [
      'a header without a name',
      `${part('Content-Disposition: form-data; name="message"\r\n: b', 'a')}--x--`,
      { message: 'a', files: [] },
    ],
    ['a part that is not of a form', `${part('Content-Disposition: attachment; name="message"', 'a')}--x--`, 422],
    ['a field without a name', `${part('Content-Disposition: form-data', 'a')}--x--`, { message: '', files: [] }],
    [
      'a file without a field’s name',
      `${part('Content-Disposition: form-data; filename="a.txt"', 'a')}--x--`,
      { message: '', files: ['a.txt'] },
    ],
  ];
  for (const [what, form, expected, type = 'multipart/form-data; boundary=x'] of rows) {
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { 'content-type': type }, body: form });
    const body = await answer.json();
    if (typeof expected === 'number') assert.ok(outcomes.at(-1) instanceof DomainError, what);
    else assert.deepEqual(body, expected, what);
  }
});

test('[FILE-8] two hostile megabytes cost at most two seconds each, and 64 MiB of memory', async () => {
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  for (const [name, body] of Object.entries(largeForms(NAMES))) {
    const [begun, before] = [performance.now(), memory()];
    await send('multipart/form-data; boundary=x', [body], true);
    assert.ok(performance.now() - begun < 2 * 2000, `${name}: time`);
    assert.ok(memory() - before < 64 * MB, `${name}: ${Math.round((memory() - before) / MB)} MiB`);
  }
});

/** Each form has a file that was stored before the error, and the last one fails in the route. */
test('[FILE-5] whatever a form with files fails of, none of them stays open', async () => {
  const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
  const whole = file('filename="a.txt"') + file('filename="b.txt"');
  const rows: [what: string, more: string, expected: string | null][] = [
    ['a case that is no number', field('case_id', 'x'), 'case_id'],
    ['recipients that are no list', field('recipients', '{}'), 'recipients'],
    ['recipients that are not JSON', field('recipients', '['), 'recipients'],
    ['a recipient of no kind', field('recipients', '[{"user_type":"x","user_id":1}]'), 'recipients'],
    ['a recipient without an id', field('recipients', '[{"user_type":"admin","user_id":0}]'), 'recipients'],
    ['a field that was sent twice', field('message', 'a') + field('message', 'b'), 'message'],
    ['a field that is too long', field('message', 'a'.repeat(64 * 1024 + 1)), 'message'],
    ['a file without a name', field('files', 'a'), 'files'],
    ['too many files', file('filename="c.txt"').repeat(40), 'files'],
    ['too many fields', field('other', 'a').repeat(30), 'body'],
    ['a part that cannot be read', part('Content-Disposition: attachment; name="message"', 'a'), 'body'],
    ['nothing', '', null],
    ['an empty file input', file('filename=""'), null],
  ];
  const before = openSpools();
  for (const [what, more, expected] of rows) {
    const body = Buffer.from(`${whole}${more}--x--\r\n`);
    outcomes.length = 0;
    await send('multipart/form-data; boundary=x', [body]);
    const [error] = outcomes;
    assert.equal(error instanceof InvalidInputError ? error.errors[0]?.field : error, expected, what);
    await eventually(`the files are closed: ${what}`, () => openSpools(before).length === 0);
  }
  await send('multipart/form-data; boundary=x', [Buffer.from(whole)], true);
  await eventually('the files of a sender who has left are closed', () => openSpools(before).length === 0);
});
