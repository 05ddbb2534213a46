import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { BACKUP_LOCK } from '@case-platform/lib/database/backup-lock';
import { UnavailableError } from '@case-platform/lib/errors';
import { deleteObjects, findObject, putObject, removeObjects, type Storage, sweepObjects } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { CASE_1 } from '../../support/cast.ts';
import { upload, uploadAndConfirm } from '../../support/direct-upload.ts';
import { draft } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { inOpenTransaction } from '../../support/run-overlapping.ts';

const api = await startApi();
const parent = await api.as('parent');
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const put = (key: string) =>
  putObject(api.storage, { key, body: Readable.from([Buffer.from('a')]), size: 1, contentType: 'text/plain' });
const isThere = async (key: string) => (await findObject(api.storage, key)) !== null;

const content = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#ffffff' } })
  .png()
  .toBuffer();
/** The tables whose rows name objects. The test of the sweep has an object for each. */
const KEPT_IN = ['case_document', 'disbursement_file', 'message_file', 'picture_rendition', 'user_file'];
const png = { filename: 'me.png', content_type: 'image/png', content };
const pdf = { name: 'a.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') };

test('[UPLOAD-2, UPLOAD-9] files that were not confirmed or named are deleted after 24 hours, and nothing else', async () => {
  await uploadAndConfirm(parent, '/api/user/me/profile-picture', png);
  await uploadAndConfirm(parent, '/api/user/me/photo-id', png);
  const document = await uploadAndConfirm(parent, `/api/cases/${CASE_1}/documents`, png);
  const answer = await parent.form('/api/messages', { message: 'With a file', case_id: String(CASE_1) }, [pdf]);
  assert.equal(answer.status, 201);
  const { id } = await draft(parent);
  await uploadAndConfirm(parent, `/api/disbursements/${id}/files`, png);
  await api.work();
  const { rows } = await api.pool.query<{ key: string }>(
    KEPT_IN.map((table) => `select storage_key as key from ${table}`).join(' union all '),
  );
  for (const table of KEPT_IN) assert.ok((await api.pool.query(`select from ${table}`)).rowCount, `${table} has a row`);
  const unconfirmed = await upload(parent, '/api/user/me/photo-id', png);
  const orphans = [
    unconfirmed,
    'uploads/nobody-knows',
    'files/case_document/1/copied-before-a-crash.pdf',
    'messages/1/1/broken-off.pdf',
  ];
  const foreign = ['elsewhere/a', 'message', 'uploads-of-others/a'];
  for (const key of [...orphans.slice(1), ...foreign]) await put(key);

  const sweep = (now: Date) => sweepObjects({ db: api.db, storage: api.storage }, now);
  assert.deepEqual(await sweep(inHours(23.9)), { uploads: 0, objects: 0 });
  const wasSwept = await sweep(inHours(24.1));
  assert.deepEqual(wasSwept, { uploads: 1, objects: orphans.length });
  for (const key of orphans) assert.equal(await isThere(key), false, key);
  for (const key of [...rows.map((row) => row.key), ...foreign]) assert.equal(await isThere(key), true, key);
  assert.equal((await fetch(document.body.url)).status, 200);
  assert.equal((await parent.post('/api/user/me/photo-id/confirm', { file_key: unconfirmed })).status, 404);
  assert.deepEqual(await sweep(inHours(24.1)), { uploads: 0, objects: 0 });
});

test('[UPLOAD-9] an object that the storage keeps is an error, so that the job tries again', async () => {
  const client = { send: async () => ({ Errors: [{ Key: 'a', Code: 'AccessDenied' }] }) };
  await assert.rejects(deleteObjects({ ...api.storage, client } as unknown as Storage, ['a', 'b']), UnavailableError);
});

test('[UPLOAD-9] the sweep handles more orphans than one page of the storage has', async () => {
  const keys = Array.from({ length: 1003 }, (_, index) => `messages/9/9/${String(index).padStart(4, '0')}.pdf`);
  for (let at = 0; at < keys.length; at += 20) await Promise.all(keys.slice(at, at + 20).map(put));
  const { objects } = await sweepObjects({ db: api.db, storage: api.storage }, inHours(25));
  assert.equal(objects, keys.length);
});

test('[UPLOAD-9] the sweep removes more used descriptors than one step takes, except one that is in use', async () => {
  await api.pool.query(
    `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at)
     select gen_random_uuid(), u.id, 'photo_id', u.id, n || '.png', 'image/png', now() - interval '2 days' + n * interval '1 minute'
       from (select min(id) as id from user_account) u, generate_series(1, 650) n`,
  );
  const sweep = () => sweepObjects({ db: api.db, storage: api.storage }, new Date());
  await inOpenTransaction(api.pool, async (other) => {
    await other.query("select from pending_upload where filename = '7.png' for update");
    assert.equal((await sweep()).uploads, 649);
  });
  assert.equal((await sweep()).uploads, 1);
});

test('[BACKUP-1] while a backup runs, the sweep removes rows and no files, and the next sweep removes the files', async () => {
  const [orphan, discarded] = ['messages/5/5/orphan.pdf', 'messages/5/5/discarded.pdf'];
  for (const key of [orphan, discarded]) await put(key);
  const jobs = async () =>
    (await api.pool.query(`select run_at from graphile_worker.jobs where task_identifier = 'delete_objects'`)).rows;
  const before = (await jobs()).length;
  const holder = await api.pool.connect();
  const now = inHours(25);
  try {
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [BACKUP_LOCK]);
    await api.pool.query(
      `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at)
       select gen_random_uuid(), min(id), 'photo_id', min(id), 'a.png', 'image/png', now() from user_account`,
    );
    assert.deepEqual(await sweepObjects({ db: api.db, storage: api.storage }, now), { uploads: 1, objects: 0 });
    await removeObjects({ db: api.db, storage: api.storage }, { keys: [discarded] }, now);
    assert.deepEqual([await isThere(orphan), await isThere(discarded)], [true, true]);
    const waiting = await jobs();
    assert.equal(waiting.length, before + 1);
    assert.ok(waiting.some(({ run_at }) => run_at.getTime() === now.getTime() + 60_000));
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  assert.ok((await sweepObjects({ db: api.db, storage: api.storage }, now)).objects >= 1);
  await removeObjects({ db: api.db, storage: api.storage }, { keys: [discarded] }, now);
  assert.deepEqual([await isThere(orphan), await isThere(discarded)], [false, false]);
  assert.equal((await jobs()).length, before + 1, 'nothing more waits');
});

test('[UPLOAD-9] the sweep knows every table that keeps a key', async () => {
  const { rows } = await api.pool.query<{ table_name: string }>(
    `select table_name::text from information_schema.columns
      where column_name = 'storage_key' and table_schema = 'public' order by 1`,
  );
  // stored_picture has no objects of its own, only the keys of the file that it is about.
  assert.deepEqual(
    rows.map((row) => row.table_name).filter((table) => table !== 'stored_picture'),
    KEPT_IN,
  );
});
