import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createUploadPolicy, findObject, putObject, readObject } from '@case-platform/modules/storage';
import { eventually } from '../support/eventually.ts';
import { encodeForm, formOf, readAnswer, sendAndBreak, sendForm } from './send-form.ts';
import { assertLikeS3, ORIGIN, openStores, startDevelopmentStore } from './store-under-test.ts';

const MIB = 1024 * 1024;

for (const store of await openStores()) {
  const { storage, newKey } = store;
  const Bucket = storage.settings.bucket;
  const noDrafts = async () => ((await store.listDrafts()) ?? []).length === 0;
  const begun = async () => {
    await eventually('a temporary file', async () => (await store.listDrafts())?.length !== 0);
  };

  describe(`connections to the ${store.name}`, () => {
    after(() => store[Symbol.asyncDispose]());

    test('a PUT that breaks off leaves neither an object nor a temporary file', async () => {
      const key = newKey();
      await putObject(storage, { key, body: Readable.from(['before']), size: 6, contentType: 'text/plain' });
      const url = await getSignedUrl(storage.client, new PutObjectCommand({ Bucket, Key: key }));
      await sendAndBreak(url, { method: 'PUT', headers: {}, part: Buffer.alloc(MIB), length: 5 * MIB, begun });
      await eventually('no temporary file', noDrafts);
      assert.equal(await text((await readObject(storage, key)) as Readable), 'before');
    });

    test('[UPLOAD-1] a form that breaks off leaves neither an object nor a temporary file', async () => {
      const key = newKey();
      const policy = createUploadPolicy(storage, { key, contentType: 'image/png', maxBytes: 50 * MIB }, new Date());
      const { contentType, body } = encodeForm(formOf(policy.upload_fields, Buffer.alloc(5 * MIB)));
      const headers = { 'content-type': contentType };
      const { length } = body;
      await sendAndBreak(policy.upload_url, { method: 'POST', headers, part: body.subarray(0, 300), length });
      for (const part of [body.subarray(0, 2 * MIB), body.subarray(0, length - 5)]) {
        await sendAndBreak(policy.upload_url, { method: 'POST', headers, part, length, begun });
        await eventually('no temporary file', noDrafts);
      }
      await eventually('no temporary file', noDrafts);
      assert.equal(await findObject(storage, key), null);
    });

    test('a form without its end is rejected and not stored', async (t) => {
      const key = newKey();
      const policy = createUploadPolicy(storage, { key, contentType: 'image/png', maxBytes: 50 * MIB }, new Date());
      const { contentType, body } = encodeForm(formOf(policy.upload_fields, Buffer.alloc(70_000)));
      for (const cut of [6, 1000, 69_000, body.length - 10]) {
        const headers = { 'content-type': contentType };
        const part = body.subarray(0, body.length - cut);
        const answer = await readAnswer(await fetch(policy.upload_url, { method: 'POST', headers, body: part }));
        const stored = (await findObject(storage, key)) !== null;
        const what = `a form that lacks its last ${cut} bytes`;
        assertLikeS3(
          store,
          t,
          [
            { status: answer.status, stored },
            { status: 400, stored: false },
          ],
          what,
        );
      }
      await eventually('no temporary file', noDrafts);
    });

    test('a client that is rejected while still sending reads the answer and may send again on the same connection', async (t) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      t.after(() => agent.destroy());
      const body = Buffer.alloc(20 * MIB);
      const sockets = new Set<unknown>();
      for (let round = 0; round < 3; round++) {
        const answer = await new Promise<{ status: number | undefined; body: string; connection: string | undefined }>(
          (resolve, reject) => {
            const sending = request(`${store.bucketUrl}/${newKey()}`, { method: 'PUT', agent });
            sending.on('socket', (socket) => sockets.add(socket));
            sending.on('error', reject);
            sending.on('response', async (response) => {
              const { statusCode: status, headers } = response;
              resolve({ status, body: await text(response), connection: headers.connection });
            });
            sending.end(body);
          },
        );
        assert.equal(answer.status, 403);
        assert.match(answer.body, /<Code>AccessDenied<\/Code>/);
        assert.notEqual(answer.connection, 'close');
      }
      assert.equal(sockets.size, 1);
    });
  });
}

describe('the development store', async () => {
  const store = await startDevelopmentStore();
  after(() => store[Symbol.asyncDispose]());
  const policyFor = (key: string) =>
    createUploadPolicy(store.storage, { key, contentType: 'image/png', maxBytes: 200 * MIB }, new Date());

  test('[UPLOAD-1] our pages may upload from the browser and read the answer', async () => {
    const key = store.newKey();
    const policy = policyFor(key);
    const preflight = await fetch(policy.upload_url, {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' },
    });
    assert.equal(preflight.status, 200);
    assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-a');
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
    const good = await sendForm(policy.upload_url, formOf(policy.upload_fields, Buffer.from('a')), { origin: ORIGIN });
    assert.equal(good.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(good.headers.get('access-control-expose-headers') ?? '', /ETag/);
    const refused = await sendForm(policy.upload_url, formOf({ key }, Buffer.from('a')), { origin: ORIGIN });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [403, ORIGIN]);
    assert.match(refused.headers.get('vary') ?? '', /Origin/);
  });
});
