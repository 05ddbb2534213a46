import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { deleteObjects, putObject } from '@case-platform/modules/storage';
import { startStorage } from '../../../test/support/platform.ts';
import { contentPath, type ListedObject, OBJECTS_FILE } from './backup-file.ts';
import { copyObjects } from './copy-objects.ts';

const storage = await startStorage();
const put = (key: string, text: string) =>
  putObject(storage, { key, body: Readable.from([text]), size: text.length, contentType: 'text/plain' });

test('[BACKUP-1] an object that is replaced meanwhile is copied as it is now, and one that is deleted is missing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'copy-objects-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const contents = { still: ['still'], once: ['a first', 'a second text'], thrice: ['1', '22', '333', '4444'] };
  for (const [key, [first = '']] of Object.entries(contents)) await put(key, first);
  await put('gone', 'gone');
  const later = new Map(Object.entries(contents).map(([key, [, ...texts]]) => [key, texts]));
  const { send } = storage.client;
  // Each object changes after its tag was read and before its content is.
  t.mock.method(storage.client, 'send', async (command: { constructor: { name: string }; input: { Key?: string } }) => {
    const key = command.constructor.name === 'GetObjectCommand' ? (command.input.Key ?? '') : '';
    const next = later.get(key)?.shift();
    if (next !== undefined) await put(key, next);
    if (key === 'gone') await deleteObjects(storage, [key]);
    return Reflect.apply(send, storage.client, [command]);
  });

  const { count, bytes, missing } = await copyObjects(storage, [...Object.keys(contents), 'gone'], folder);
  const expected = Object.entries(contents).map(([key, texts]) => ({ key, text: texts.at(-1) ?? '' }));
  assert.deepEqual([count, bytes, missing], [3, expected.reduce((sum, { text }) => sum + text.length, 0), 1]);
  const lines = (await readFile(join(folder, OBJECTS_FILE), 'utf8')).trim().split('\n');
  const list: ListedObject[] = lines.map((line) => JSON.parse(line)).sort((one, other) => (one.key < other.key ? -1 : 1));
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  assert.deepEqual(
    list.map((object) => [object.key, object.size, object.sha256]),
    expected.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ key, text }) => [key, text.length, sha256(text)]),
  );
  for (const { text } of expected) assert.equal(await readFile(contentPath(folder, sha256(text)), 'utf8'), text);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.draft')),
    [],
  );
});
