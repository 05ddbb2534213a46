import assert from 'node:assert/strict';
import { fstatSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { TooLargeError } from '@case-platform/lib/errors';
import { spoolFile } from './spool-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'spool-test-'));
process.env.TMPDIR = folder;
after(() => rm(folder, { recursive: true }));

test('a spooled file can be read many times, in ranges, and in parallel', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  await using file = await spoolFile(Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]), { maxBytes: 300_000 });
  assert.equal(file.size, 300_000);
  const [whole, again, range] = await Promise.all([
    buffer(file.open()),
    buffer(file.open()),
    buffer(file.open({ start: 100, end: 199 })),
  ]);
  assert.ok(whole.equals(bytes) && again.equals(bytes));
  assert.ok(range.equals(bytes.subarray(100, 200)));
});

test('a spooled file has no name in the folder and is removed when disposed', async () => {
  const file = await spoolFile(Readable.from([Buffer.from('a')]), { maxBytes: 10 });
  assert.deepEqual(await readdir(folder), []);
  assert.equal(fstatSync(file.fd).mode & 0o777, 0o600, 'and before its name is gone, no other account can read it');
  await file.dispose();
  await file.dispose();
  await assert.rejects(file.open().toArray());
});

test('a reader that stops early leaves the file readable for the next one', async () => {
  await using file = await spoolFile(Readable.from([Buffer.from('whole')]), { maxBytes: 10 });
  file.open().destroy();
  for await (const _ of file.open()) break;
  assert.equal(Buffer.concat(await file.open().toArray()).toString(), 'whole');
});

test('a stream above the limit is rejected and still read to its end, so that its sender can read the answer', async () => {
  const incoming = new PassThrough();
  const spooling = spoolFile(incoming, { maxBytes: 4 });
  incoming.write('12345');
  await assert.rejects(spooling, TooLargeError);
  incoming.end('more');
  await new Promise((resolve) => incoming.once('end', resolve));
});

test('a part that its parser cut at a limit is rejected', async () => {
  const cut = Object.assign(Readable.from([Buffer.from('123')]), { truncated: true });
  await assert.rejects(spoolFile(cut, { maxBytes: 10 }), TooLargeError);
});

test('[FILE-5] a connection that breaks off leaves nothing behind', async () => {
  const incoming = new PassThrough();
  const spooling = spoolFile(incoming, { maxBytes: 10 });
  incoming.write('123');
  incoming.destroy();
  await assert.rejects(spooling);
  assert.deepEqual(await readdir(folder), []);
});
