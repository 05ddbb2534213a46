import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { deleteObjects, findObject, putObject, readObject, signDownloadUrl } from '@case-platform/modules/storage';
import { readAnswer } from './send-form.ts';
import { assertLikeS3, openStores } from './store-under-test.ts';

const SECOND = 1000;

for (const store of await openStores()) {
  const { storage, newKey } = store;
  const Bucket = storage.settings.bucket;
  const put = (key: string, content = 'content', contentType = 'text/plain') => {
    const size = Buffer.byteLength(content);
    return putObject(storage, { key, body: Readable.from([Buffer.from(content)]), size, contentType });
  };
  const sign = (key: string, now = new Date(), expiresIn = 3600) =>
    signDownloadUrl(
      storage,
      {
        key,
        filename: 'Vertrag für 你好 (1).pdf',
        contentType: 'application/pdf',
        expiresIn,
      },
      now,
    );

  describe(`pre-signed addresses of the ${store.name}`, () => {
    after(() => store[Symbol.asyncDispose]());

    test('[FILE-4] a signed attachment URL works for anyone who has it, as a download', async () => {
      const key = newKey();
      await put(key, 'content', 'text/html');
      const response = await fetch(sign(key).url);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/pdf');
      assert.equal(
        response.headers.get('content-disposition'),
        'attachment; filename="Vertrag fur __ (1).pdf"; filename*=UTF-8\'\'Vertrag%20f%C3%BCr%20%E4%BD%A0%E5%A5%BD%20%281%29.pdf',
      );
      if (store.name === 'development store') {
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox/);
      }
      assert.equal(await response.text(), 'content');
    });

    test('[FILE-4] attachment URLs expire after 1 hour', async () => {
      const key = newKey();
      await put(key);
      const alive = sign(key, new Date(Date.now() - 3570 * SECOND));
      const dead = sign(key, new Date(Date.now() - 3601 * SECOND));
      assert.ok(Date.parse(alive.url_expires_at) > Date.now() && Date.parse(dead.url_expires_at) < Date.now());
      assert.equal((await fetch(alive.url)).status, 200);
      const answer = await readAnswer(await fetch(dead.url));
      assert.deepEqual([answer.status, answer.code], [403, 'AccessDenied']);
    });

    test('a signed URL serves a range', async () => {
      const key = newKey();
      await put(key, '0123456789');
      const response = await fetch(sign(key).url, { headers: { range: 'bytes=2-4' } });
      assert.deepEqual([response.status, await response.text()], [206, '234']);
    });

    const tampered: [what: string, change: (url: string) => string][] = [
      ['another key', (url) => url.replace(/file\.bin/, 'other.bin')],
      ['a longer life', (url) => url.replace('X-Amz-Expires=3600', 'X-Amz-Expires=7200')],
      ['another time', (url) => url.replace(/X-Amz-Date=\d{4}/, 'X-Amz-Date=2099')],
      ['another content type', (url) => url.replace('application%2Fpdf', 'text%2Fhtml')],
      ['inline instead of attachment', (url) => url.replace('=attachment', '=inline')],
      ['one more parameter', (url) => `${url}&response-cache-control=public`],
      ['another signature', (url) => url.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
      ['no signature', (url) => url.replace(/&X-Amz-Signature=.*/, '')],
      ['nothing', (url) => url.replace(/\?.*/, '')],
    ];
    test('a URL that was changed or never signed is rejected', async () => {
      const key = newKey();
      await put(key, 'secret');
      await put(key.replace('file.bin', 'other.bin'), 'secret');
      for (const [what, change] of tampered) {
        const answer = await readAnswer(await fetch(change(sign(key).url)));
        assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status}`);
        assert.doesNotMatch(answer.body, /secret/);
      }
    });

    test('strangers cannot write, list, or remove', async () => {
      const key = newKey();
      await put(key, 'kept');
      const at = `${store.bucketUrl}/${key}`;
      const calls: [method: string, url: string][] = [
        ['PUT', at],
        ['DELETE', at],
        ['GET', `${store.bucketUrl}?list-type=2`],
        ['PUT', `${store.bucketUrl}-2`],
        ['POST', `${store.bucketUrl}?delete`],
      ];
      for (const [method, url] of calls) {
        const body = method === 'PUT' || method === 'POST' ? 'body' : null;
        const answer = await readAnswer(await fetch(url, { method, body }));
        assert.equal(answer.status, 403, `${method} ${url}: ${answer.body}`);
      }
      assert.equal(await text((await readObject(storage, key)) as Readable), 'kept');
    });

    test('a URL signed for one method is rejected for others', async () => {
      const key = newKey();
      await put(key, 'kept');
      const { url } = sign(key);
      assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
      assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
      const toWrite = await getSignedUrl(storage.client, new PutObjectCommand({ Bucket, Key: key }));
      assert.equal((await fetch(toWrite)).status, 403);
      assert.equal((await fetch(toWrite, { method: 'PUT', body: 'new' })).status, 200);
      assert.equal(await text((await readObject(storage, key)) as Readable), 'new');
    });

    test('URLs signed by the SDK are accepted, for at most seven days', async (t) => {
      const key = newKey("it's a+b & c=d?#%.txt");
      await put(key);
      const command = new GetObjectCommand({ Bucket, Key: key, ResponseContentType: 'a/b; c="d e"' });
      const response = await fetch(await getSignedUrl(storage.client, command, { expiresIn: 604_800 }));
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'a/b; c="d e"']);
      const { url } = sign(key, new Date(), 604_801);
      const { status } = await readAnswer(await fetch(url));
      assert.ok(status >= 400 && status < 500);
      assertLikeS3(store, t, [status, 400], 'an address for eight days');
    });

    const oddNames = [
      'a b  c',
      'ünïcödé 你好 🎉',
      'a+b&c=d?e#f%20%2F',
      '..',
      'a/../../../../etc/passwd',
      './a//b/',
      'CON',
      'case',
      'CASE',
      'trailing.',
      'back\\slash:star*"quote"<>|',
      "~$%^!()'",
      'x'.repeat(900),
      '漢'.repeat(300),
    ];
    test('odd keys are stored separately and never leave the folder', async () => {
      const keys = oddNames.map((name) => newKey().replace('file.bin', name));
      await Promise.all(keys.map((key, index) => put(key, `content ${index}`)));
      for (const [index, key] of keys.entries()) {
        assert.equal(await text((await readObject(storage, key)) as Readable), `content ${index}`, key);
        assert.equal(await rawGet(sign(key).url), `content ${index}`, key);
      }
      await deleteObjects(storage, keys);
      for (const key of keys) assert.equal(await findObject(storage, key), null);
    });

    test('a key of more than 1024 bytes is rejected', async (t) => {
      const name = await put(newKey('x'.repeat(1100))).then(
        () => 'accepted',
        (error: Error) => error.name,
      );
      assert.notEqual(name, 'accepted');
      assertLikeS3(store, t, [name, 'KeyTooLongError'], 'a key of more than 1024 bytes');
    });
  });
}

/** Sends a GET without the normalization of paths that `fetch` does. */
function rawGet(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf('/', 8));
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (response) => text(response).then(resolve, reject))
      .on('error', reject)
      .end();
  });
}
