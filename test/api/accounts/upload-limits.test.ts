import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upload } from '../../support/direct-upload.ts';
import { startApi } from '../../support/platform.ts';

/** The limits of uploads, checked at the last accepted value and at the next one. */

let clock = Date.now();
const api = await startApi({ now: () => new Date(clock) });
const parent = await api.as('parent');
const pdf = { filename: 'a.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') };
const begin = (fields: object = {}) =>
  parent.post('/api/user/me/photo-id/upload-url', {
    filename: pdf.filename,
    content_type: pdf.content_type,
    ...fields,
  });
const forget = () => api.pool.query('delete from pending_upload');

test('[API-14] an upload belongs to its sender and their purpose, whatever else the body says', async () => {
  assert.equal((await begin({ user_id: 1, subject_id: 1, purpose: 'case_document' })).status, 200);
  const { rows } = await api.pool.query('select user_id::int, subject_id::int, purpose from pending_upload');
  assert.deepEqual(rows, [{ user_id: parent.userId, subject_id: parent.userId, purpose: 'photo_id' }]);
  await forget();
});

test('[UPLOAD-4] a file can be announced with as many bytes as its purpose allows, and not one more', async () => {
  const most = [10, 15, 20, 25, 50].map((mebibytes) => mebibytes * 1024 * 1024);
  const taken = [];
  for (const size of most) if ((await begin({ size })).status === 200) taken.push(size);
  const last = taken.at(-1) ?? 0;
  assert.ok(taken.length > 0 && taken.length < most.length, 'there is a limit');
  assert.deepEqual([(await begin({ size: last })).status, (await begin({ size: last + 1 })).status], [200, 422]);
  await forget();
});

test('[UPLOAD-5] an upload can be confirmed for twelve hours', async () => {
  const begun = clock;
  const early = await upload(parent, '/api/user/me/photo-id', pdf);
  const late = await upload(parent, '/api/user/me/photo-id', pdf);
  clock = begun + 12 * 3_600_000 - 60_000;
  const person = await api.as('parent');
  assert.equal((await person.post('/api/user/me/photo-id/confirm', { file_key: early })).status, 200);
  clock = begun + 12 * 3_600_000 + 60_000;
  assert.equal((await person.post('/api/user/me/photo-id/confirm', { file_key: late })).status, 404);
  clock = Date.now();
  await forget();
});

test('[UPLOAD-7] a person can have fifty unconfirmed uploads, and not one more', async () => {
  for (let at = 1; at <= 50; at += 1) assert.equal((await begin()).status, 200, `upload ${at}`);
  assert.equal((await begin()).status, 429);
  await forget();
});
