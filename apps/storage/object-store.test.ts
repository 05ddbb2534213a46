import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatRoutes } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { deleteObject, findHead, listKeys, openObjectStore, writeObject } from './object-store.ts';
import { createStorageServer } from './server.ts';
import { readStoredHead } from './stored-file.ts';
import { xmlElements, xmlText } from './xml.ts';

const folder = await mkdtemp(join(tmpdir(), 'object-store-'));
after(() => rm(folder, { recursive: true }));

async function* once(text: string) {
  yield Buffer.from(text);
}

test('routes.txt has the guard of each route, and what else it declares', async () => {
  const app = await createStorageServer({
    log: createLog('storage', 'silent'),
    folder: join(folder, 'routes'),
    bucket: 'files',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b', region: 'c' },
    origins: [],
    now: () => new Date(),
  });
  const committed = await readFile(fileURLToPath(new URL('routes.txt', import.meta.url)), 'utf8');
  assert.equal(committed, formatRoutes(app));
  await app.close();
});

test('no key names a file outside its bucket, and no two keys name one file', async () => {
  const store = await openObjectStore(join(folder, 'keys'), 'files');
  const keys = ['..', '../..', '/', '//', '\0', 'a', 'A', 'a/', '%61', 'é', 'e\u0301', 'x'.repeat(1024), 'k-a', 'con'];
  for (const key of keys) await writeObject(store, { bucket: 'files', key }, once(key), 'text/plain');
  const names = await readdir(join(folder, 'keys', 'buckets', 'files'));
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, keys.length);
  assert.ok(names.every((name) => name.length <= 210 && /^[kh]-[\w%-]*$/.test(name)));
  assert.deepEqual((await listKeys(store, 'files', '')).toSorted(), keys.toSorted());
  for (const key of keys) {
    assert.equal((await findHead(store, { bucket: 'files', key }))?.key, key);
    await deleteObject(store, { bucket: 'files', key });
  }
  assert.deepEqual(await readdir(join(folder, 'keys', 'buckets', 'files')), []);
});

test('keys are listed in the order of their bytes, and by their beginning', async () => {
  const store = await openObjectStore(join(folder, 'order'), 'files');
  // In the order of UTF-16, the picture would come before the full-width sign.
  const keys = ['A', 'a', 'a/', 'a/b', 'ab', 'é', '\uff5e', '\u{1f389}', `\u{1f389}${'x'.repeat(300)}`];
  for (const key of keys.toReversed()) await writeObject(store, { bucket: 'files', key }, once(key), 'text/plain');
  for (const prefix of ['', 'a', 'a/', '\u{1f389}', 'b'])
    assert.deepEqual(
      await listKeys(store, 'files', prefix),
      keys.filter((key) => key.startsWith(prefix)),
    );
});

test('drafts that a crash left are deleted at the next start', async () => {
  const at = join(folder, 'crash');
  await openObjectStore(at, 'files');
  await writeFile(join(at, 'drafts', 'left'), 'half');
  await openObjectStore(at, 'files');
  assert.deepEqual(await readdir(join(at, 'drafts')), []);
});

test('files are readable by their owner only, and a damaged one is not served', async () => {
  const store = await openObjectStore(join(folder, 'mode'), 'files');
  await writeObject(store, { bucket: 'files', key: 'a' }, once('content'), 'text/plain');
  const path = join(folder, 'mode', 'buckets', 'files', 'k-a');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await writeFile(path, 'content');
  await assert.rejects(readStoredHead(path), /damaged/);
});

test('small documents of S3 clients are read, with any prefix', () => {
  const document = '<?xml version="1.0"?><a:D xmlns:a="x"><a:Part><a:PartNumber> 1 </a:PartNumber></a:Part><Part x="y"/></a:D>';
  assert.equal(xmlText(document, 'PartNumber'), ' 1 ');
  assert.equal(xmlText('<Key>a &amp;lt; &#x4F60;&#22909;&#x110000;</Key>', 'Key'), 'a &lt; 你好&#x110000;');
  assert.throws(() => xmlElements('<!DOCTYPE a><a/>', 'a'));
  assert.throws(() => xmlElements('<a><a>', 'a'));
});
