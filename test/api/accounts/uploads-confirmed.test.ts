import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { ConflictError } from '@case-platform/lib/errors';
import { confirmUpload, findObject, putObject, sweepObjects } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { formOf, readAnswer, sendForm } from '../../storage/send-form.ts';
import { upload } from '../../support/direct-upload.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

let clock: Date | undefined;
const api = await startApi({ now: () => clock ?? new Date() });
const [parent, parent2, surrogate] = await Promise.all([api.as('parent'), api.as('parent2'), api.as('surrogate')]);

const PICTURE = '/api/user/me/profile-picture';
const PHOTO_ID = '/api/user/me/photo-id';
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
const plain = sharp({ create: { width: 300, height: 200, channels: 3, background: '#22667a' } });
const png = await plain.clone().png().toBuffer();
const located = await plain
  .clone()
  .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' }, IFD0: { Make: 'Sesame' } })
  .jpeg()
  .toBuffer();
const files = {
  png: { filename: 'me.png', content_type: 'image/png', content: png },
  located: { filename: 'me.jpg', content_type: 'image/jpeg', content: located },
  pdf: { filename: 'passport.pdf', content_type: 'application/pdf', content: pdf },
};
const begin = (who: Client, path = PICTURE, more = {}) =>
  who.post(`${path}/upload-url`, { filename: 'me.png', content_type: 'image/png', ...more });
const download = async (url: string) => {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return { bytes: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') };
};
const outcome = ({ status, body }: Answer) => `${status} ${body.code ?? ''}`.trim();

describe('confirming', () => {
  test('[UPLOAD-2] an upload that is not confirmed does not appear in the profile', async () => {
    const rep = await api.as('owner');
    const file_key = await upload(rep, PICTURE, files.png);
    const picture = async () => (await rep.get('/api/user/me')).body.profile_picture_url;
    assert.equal(await picture(), null);
    assert.equal((await rep.post(`${PICTURE}/confirm`, { file_key })).status, 200);
    assert.ok(await picture(), 'once it is confirmed it is');
  });

  test('[UPLOAD-5] a confirmation before the file has arrived is a conflict, and works afterwards', async () => {
    const { upload_url, upload_fields, file_key } = (await begin(parent)).body;
    assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '409 upload_missing');
    await sendForm(upload_url, formOf(upload_fields, png));
    assert.equal((await parent.post(`${PICTURE}/confirm`, { file_key })).status, 200);
  });

  test('[UPLOAD-5] a key of another person or purpose, an invented one, and a final one are rejected', async () => {
    const file_key = await upload(parent, PICTURE, files.png);
    const { rows } = await api.pool.query('select storage_key from user_file limit 1');
    const invented = [
      'uploads/00000000-0000-4000-8000-000000000000',
      'uploads/',
      'uploads/../files/x',
      `${file_key}x`,
      file_key.toUpperCase(),
      rows[0].storage_key,
      "'; drop table pending_upload; --",
    ];
    assert.equal(outcome(await parent2.post(`${PICTURE}/confirm`, { file_key })), '404 upload_not_found');
    assert.equal(outcome(await parent.post(`${PHOTO_ID}/confirm`, { file_key })), '404 upload_not_found');
    assert.equal(outcome(await parent.post('/api/cases/1/documents/confirm', { file_key })), '404 upload_not_found');
    for (const key of invented) {
      assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key: key })), '404 upload_not_found', key);
    }
    const theirs = { user_id: parent2.userId, purpose: 'profile_picture', subject_id: parent.userId } as const;
    const taken = confirmUpload(api.db, api.storage, { ...theirs, file_key }, new Date(), async () => true);
    await assert.rejects(taken, { name: 'NotFoundError' }, 'past a guard, of the same subject');
    assert.equal((await parent.post(`${PICTURE}/confirm`, {})).status, 422);
    assert.equal((await parent.post(`${PICTURE}/confirm`, { file_key })).status, 200);
  });

  test('[UPLOAD-5] a confirmation works once, also when sent twenty times at once', async () => {
    const file_key = await upload(parent, PICTURE, files.png);
    const answers = await Promise.all(Array.from({ length: 20 }, () => parent.post(`${PICTURE}/confirm`, { file_key })));
    const lost = answers.filter(({ status }) => status !== 200).map(outcome);
    assert.equal(lost.length, 19);
    assert.ok(
      lost.every((one) => one === '409 upload_in_progress' || one === '404 upload_not_found'),
      lost.join(),
    );
    assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '404 upload_not_found');
  });

  test('[UPLOAD-5] a second upload under the same policy changes nothing', async () => {
    const { upload_url, upload_fields, file_key } = (await begin(surrogate)).body;
    await sendForm(upload_url, formOf(upload_fields, png));
    const { body } = await surrogate.post(`${PICTURE}/confirm`, { file_key });
    assert.equal((await sendForm(upload_url, formOf(upload_fields, Buffer.from('another')))).status, 204);
    assert.deepEqual((await download(body.profile_picture_url)).bytes, png);
    assert.equal((await surrogate.post(`${PICTURE}/confirm`, { file_key })).status, 404);
  });

  test('[FILE-2, UPLOAD-5] content that is not what it claims to be is a 422 and is deleted', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>');
    for (const content of [page, pdf, png.subarray(0, 3)]) {
      const file_key = await upload(parent, PICTURE, { ...files.png, content });
      assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '422 file_content');
      assert.equal(await findObject(api.storage, file_key), null);
      assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '404 upload_not_found');
    }
  });

  test('[UPLOAD-4, UPLOAD-5] with a storage that ignores the range of sizes, the real size counts', async () => {
    const write = (key: string, size: number) =>
      putObject(api.storage, { key, body: Readable.from([Buffer.alloc(size, 1)]), size, contentType: 'image/png' });
    const { file_key } = (await begin(parent)).body;
    await write(file_key, 10 * 1024 * 1024 + 1);
    assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '413 file_too_large');
    assert.equal(await findObject(api.storage, file_key), null);
    const exact = (await begin(parent, PICTURE, { size: 100 })).body.file_key;
    await write(exact, 101);
    assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key: exact })), '422 file_size');
  });

  test('[UPLOAD-5] an upload that was begun half a day ago can no longer be confirmed', async (t) => {
    t.after(() => {
      clock = undefined;
    });
    const file_key = await upload(parent, PICTURE, files.png);
    clock = new Date(Date.now() + 12 * 3_600_000 + 1000);
    const late = await api.as('parent');
    assert.equal(outcome(await late.post(`${PICTURE}/confirm`, { file_key })), '404 upload_not_found');
  });

  test('[UPLOAD-5] a call that died between its claim and its end delays an upload for two minutes', async (t) => {
    t.after(() => {
      clock = undefined;
    });
    const file_key = await upload(parent, PICTURE, files.png);
    await api.pool.query('update pending_upload set claimed_at = now() where id = $1', [file_key.slice(8)]);
    assert.equal(outcome(await parent.post(`${PICTURE}/confirm`, { file_key })), '409 upload_in_progress');
    clock = new Date(Date.now() + 125_000);
    assert.equal((await parent.post(`${PICTURE}/confirm`, { file_key })).status, 200);
  });
});

describe('failures between the copy and the commit', () => {
  const confirming = async (failure: Error) => {
    const file_key = await upload(parent, PICTURE, files.png);
    const binding = { user_id: parent.userId, purpose: 'profile_picture', subject_id: parent.userId } as const;
    let copy = '';
    const work = confirmUpload(api.db, api.storage, { ...binding, file_key }, new Date(), (_tx, file) => {
      copy = file.storage_key;
      throw failure;
    });
    await assert.rejects(work, failure);
    return { file_key, copy };
  };

  test('[UPLOAD-5] a rejection by the owner’s rules removes the copy, and the upload can be confirmed again', async () => {
    const { file_key, copy } = await confirming(new ConflictError('Not now.'));
    assert.equal(await findObject(api.storage, copy), null);
    assert.equal((await parent.post(`${PICTURE}/confirm`, { file_key })).status, 200);
  });

  test('[UPLOAD-5] after a fault nothing is lost: the copy waits for the sweep, the upload for another try', async () => {
    const { file_key, copy } = await confirming(new Error('the database went away'));
    assert.notEqual(await findObject(api.storage, copy), null);
    assert.equal((await parent.post(`${PICTURE}/confirm`, { file_key })).status, 200);
    await sweepObjects({ db: api.db, storage: api.storage }, new Date(Date.now() + 25 * 3_600_000));
    assert.equal(await findObject(api.storage, copy), null);
    assert.equal((await fetch((await parent.get('/api/user/me')).body.profile_picture_url)).status, 200);
  });
});

test('[UPLOAD-4, UPLOAD-6] a policy that has expired is rejected by the storage in its own words', async (t) => {
  t.after(() => {
    clock = undefined;
  });
  clock = new Date(Date.now() - 301_000);
  const { upload_url, upload_fields } = (await begin(await api.as('parent'))).body;
  const form = new FormData();
  for (const [name, value] of Object.entries<string>(upload_fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(png)]), 'me.png');
  const answer = await readAnswer(await fetch(upload_url, { method: 'POST', body: form }));
  assert.deepEqual([answer.status, answer.code], [403, 'AccessDenied']);
  assert.match(answer.body, /expired/i);
});
