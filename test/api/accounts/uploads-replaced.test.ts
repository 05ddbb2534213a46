import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { putObject, readObject } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { upload } from '../../support/direct-upload.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';

/** Files that are replaced while they are being confirmed, by another upload or by another file of the same person. */

const api = await startApi();
const GOOD = Buffer.from('%PDF-1.7\n%%EOF\n');
const OTHER = Buffer.from('%PDF-1.7\n%%eof\n');
const PICTURE = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#22667a' } })
  .png()
  .toBuffer();
const pdf = { filename: 'a.pdf', content_type: 'application/pdf', content: GOOD };

const put = (key: string, body: Buffer) =>
  putObject(api.storage, { key, body: Readable.from([body]), size: body.length, contentType: 'application/pdf' });

/** Runs `work` just before, or just after, the first call of this kind. @returns a function that ends this. */
function runAround(command: unknown, at: 'before' | 'after', work: () => Promise<unknown>): () => void {
  const { client } = api.storage;
  const send = client.send.bind(client);
  let isDone = false;
  Object.assign(client, {
    async send(given: object) {
      const isIt = !isDone && given.constructor === command;
      if (isIt) isDone = true;
      if (isIt && at === 'before') await work();
      const answer = await send(given as Parameters<typeof send>[0]);
      if (isIt && at === 'after') await work();
      return answer;
    },
  });
  return () => Object.assign(client, { send });
}

const keptKey = async ({ userId }: Client) =>
  (await api.pool.query(`select storage_key from user_file where purpose = 'photo_id' and user_id = $1`, [userId])).rows[0]
    ?.storage_key;

test('[UPLOAD-5] a file that is replaced between its check and its copy is a conflict, and nothing is kept', async () => {
  const parent = await api.as('parent');
  const file_key = await upload(parent, '/api/user/me/photo-id', pdf);
  const restore = runAround(CopyObjectCommand, 'before', () => put(file_key, OTHER));
  const { status, body } = await parent.post('/api/user/me/photo-id/confirm', { file_key });
  restore();
  assert.deepEqual([status, body.code], [409, 'file_replaced']);
  assert.equal(await keptKey(parent), undefined);
});

test('[UPLOAD-5] if a file is replaced after the copy, the copy is checked and kept', async () => {
  const surrogate = await api.as('surrogate');
  const file_key = await upload(surrogate, '/api/user/me/photo-id', pdf);
  const restore = runAround(CopyObjectCommand, 'after', () => put(file_key, Buffer.from('not a PDF at al')));
  const { status } = await surrogate.post('/api/user/me/photo-id/confirm', { file_key });
  restore();
  assert.equal(status, 200);
  const chunks: Buffer[] = [];
  for await (const chunk of (await readObject(api.storage, await keptKey(surrogate))) as AsyncIterable<Buffer>)
    chunks.push(chunk);
  assert.deepEqual(Buffer.concat(chunks), GOOD);
});

test('[UPLOAD-5] a confirmation that took so long that another one took over keeps no file, and the other may go on', async () => {
  const manager = await api.as('manager');
  const file_key = await upload(manager, '/api/user/me/photo-id', pdf);
  const claim = (change: string) =>
    api.pool.query(`update pending_upload set claimed_at = ${change} where 'uploads/' || id = $1 returning claimed_at`, [
      file_key,
    ]);
  const restore = runAround(CopyObjectCommand, 'after', () => claim(`claimed_at + interval '2 minutes'`));
  const { status, body } = await manager.post('/api/user/me/photo-id/confirm', { file_key });
  restore();
  assert.deepEqual([status, body.code, await keptKey(manager)], [409, 'upload_in_progress', undefined]);
  assert.ok((await claim('claimed_at')).rows[0].claimed_at instanceof Date);
});

test('[UPLOAD-4] another size than was announced is rejected, a byte more or less', async () => {
  const parent = await api.as('parent');
  const begin = (size: number) =>
    parent.post('/api/user/me/photo-id/upload-url', { filename: 'a.pdf', content_type: 'application/pdf', size });
  for (const size of [GOOD.length - 1, GOOD.length + 1]) {
    const { file_key } = (await begin(size)).body;
    // This bypasses the storage's own check, like a store that ignores the policy.
    await putObject(api.storage, {
      key: file_key,
      body: Readable.from([GOOD]),
      size: GOOD.length,
      contentType: 'application/pdf',
    });
    const { status } = await parent.post('/api/user/me/photo-id/confirm', { file_key });
    assert.equal(status, 422, String(size));
  }
});

for (const [purpose, path] of [
  ['photo_id', '/api/user/me/photo-id'],
  ['profile_picture', '/api/user/me/profile-picture'],
] as const)
  test(`[UPLOAD-8] two files that are confirmed at once as a ${purpose} both succeed, and one is kept`, async () => {
    const manager = await api.as('manager');
    const rows = async () =>
      (await api.pool.query('select storage_key from user_file where user_id = $1 and purpose = $2', [manager.userId, purpose]))
        .rows;
    const file = { filename: 'a.png', content_type: 'image/png', content: PICTURE };
    // The first round has no earlier file, and the second has one.
    for (const before of [0, 1]) {
      assert.equal((await rows()).length, before);
      const keys = [await upload(manager, path, file), await upload(manager, path, file)];
      const answers = await inOpenTransaction(api.pool, async (blocker) => {
        await blocker.query('lock table user_file in share mode');
        const confirmed = keys.map((file_key) => manager.post(`${path}/confirm`, { file_key }));
        await untilWaiting(api.pool, confirmed);
        await blocker.query('commit');
        return Promise.all(confirmed);
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
      assert.equal((await rows()).length, 1);
    }
  });
