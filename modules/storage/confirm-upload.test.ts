import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { ConflictError } from '@case-platform/lib/errors';
import { createTestDatabase } from '../../test/support/database.ts';
import { SAMPLES } from '../../test/support/file-samples.ts';
import { IMITATED_STORE } from '../../test/support/storage.ts';
import { attachFile } from './attach-file.ts';
import { type ConfirmedFile, confirmUpload, type UploadToConfirm } from './confirm-upload.ts';
import { createStorage } from './storage.ts';

const { db, pool } = await createTestDatabase();
const { rows: people } = await pool.query<{ id: number }>('select id::int from user_account order by id limit 1');
const [{ id: userId } = { id: 0 }] = people;
const NOW = new Date();

interface Call {
  Key: string;
  CopySource?: string;
  CopySourceIfMatch?: string;
  Range?: string;
  Delete?: { Objects: { Key: string }[] };
}

/** A store in memory. `onCall` runs before each call, and may fail it. */
function makeStore(onCall: (name: string, call: Call, objects: Map<string, Buffer>) => void = () => {}) {
  const storage = createStorage(IMITATED_STORE);
  const objects = new Map<string, Buffer>();
  const fault = (status: number) =>
    new S3ServiceException({ name: 'Fault', $fault: 'client', $metadata: { httpStatusCode: status }, message: 'a fault' });
  const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
  const get = (key: string) => {
    const bytes = objects.get(key);
    if (bytes === undefined) throw fault(404);
    return bytes;
  };
  const send = async (command: { input: Call }) => {
    const { input } = command;
    const name = command.constructor.name.replace('Command', '');
    onCall(name, input, objects);
    if (name === 'DeleteObjects') for (const { Key } of input.Delete?.Objects ?? []) objects.delete(Key);
    if (name === 'HeadObject') return { ContentLength: get(input.Key).length, ETag: etagOf(get(input.Key)) };
    if (name === 'CopyObject') {
      const bytes = get(input.CopySource?.replace(/^b\//, '') ?? '');
      if (etagOf(bytes) !== input.CopySourceIfMatch) throw fault(412);
      objects.set(input.Key, bytes);
    }
    if (name !== 'GetObject') return {};
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(input.Range ?? '') ?? [];
    const bytes = get(input.Key);
    return { Body: Readable.from([start === undefined ? bytes : bytes.subarray(Number(start), Number(end) + 1)]) };
  };
  Object.assign(storage.client, { send });
  return { storage, objects };
}

/** A new upload of a photo ID in the store. */
async function begin(
  objects: Map<string, Buffer>,
  bytes: Buffer | null,
  { filename = 'id.pdf', size = null as number | null } = {},
) {
  const id = randomUUID();
  await pool.query(
    `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, size, created_at)
     values ($1, $2, 'photo_id', $2, $3, 'application/pdf', $4, $5)`,
    [id, userId, filename, size, NOW],
  );
  if (bytes !== null) objects.set(`uploads/${id}`, bytes);
  const upload = { user_id: userId, purpose: 'photo_id' as const, subject_id: userId, file_key: `uploads/${id}` };
  const row = async () => (await pool.query('select claimed_at from pending_upload where id = $1', [id])).rows[0];
  return { upload, row };
}

const keep = async (_tx: unknown, file: ConfirmedFile) => file;
const largest = 25 * 1024 * 1024;
const sized = (bytes: number) => Buffer.concat([SAMPLES.pdf, Buffer.alloc(bytes - SAMPLES.pdf.length, 0x20)]);

test('[UPLOAD-5] a confirmed file is under its final key only, even if the store then fails', async () => {
  for (const isAway of [false, true]) {
    const { storage, objects } = makeStore((name) => {
      if (isAway && name === 'DeleteObjects') throw new Error('away');
    });
    const { upload, row } = await begin(objects, SAMPLES.pdf, { size: SAMPLES.pdf.length });
    const file = await confirmUpload(db, storage, upload, NOW, keep);
    assert.equal(await row(), undefined, 'it is spent');
    assert.match(file.storage_key, new RegExp(`^files/photo_id/${userId}/[0-9a-f-]{36}\\.pdf$`));
    assert.deepEqual([file.size, objects.get(file.storage_key)], [SAMPLES.pdf.length, SAMPLES.pdf]);
    assert.equal(objects.size, isAway ? 2 : 1, 'the temporary object is removed, now or by the sweep');
    await assert.rejects(confirmUpload(db, storage, upload, NOW, keep), { code: 'upload_not_found' });
  }
});

test('[UPLOAD-5] what is not as announced is removed with its copy, and cannot be confirmed again', async () => {
  const rows: [what: string, bytes: Buffer, size: number | null, code: string | null][] = [
    ['the largest file', sized(largest), null, null],
    ['a file that is a byte too large', sized(largest + 1), null, 'file_too_large'],
    ['a file of the announced size', sized(1000), 1000, null],
    ['a shorter one', sized(999), 1000, 'file_size'],
    ['a longer one', sized(1001), 1000, 'file_size'],
    ['a file of another type', SAMPLES.png, null, 'file_content'],
    ['an empty file', Buffer.alloc(0), null, 'file_empty'],
  ];
  for (const [what, bytes, size, code] of rows) {
    const { storage, objects } = makeStore();
    const { upload, row } = await begin(objects, bytes, { size });
    const result = await confirmUpload(db, storage, upload, NOW, keep).then(
      () => null,
      (error) => error.code,
    );
    assert.deepEqual([result, objects.size, await row()], [code, code === null ? 1 : 0, undefined], what);
  }
});

test('[UPLOAD-5] the copy is checked and not the upload, which its owner may replace at any moment', async () => {
  for (const replacement of [SAMPLES.png, sized(largest + 1)]) {
    for (const step of ['CopyObject', 'GetObject']) {
      const { storage, objects } = makeStore((name, { Key }, all) => {
        if (name !== step) return;
        // A store that ignores the condition of a copy.
        for (const key of all.keys())
          if (step === 'GetObject' ? key.startsWith('uploads/') : key !== Key) all.set(key, replacement);
      });
      const { upload, row } = await begin(objects, SAMPLES.pdf);
      const confirming = confirmUpload(db, storage, upload, NOW, keep);
      if (step === 'CopyObject') {
        await assert.rejects(confirming, { code: 'file_replaced' });
        assert.deepEqual([...objects.keys()], [upload.file_key], 'no copy is left');
        assert.deepEqual(await row(), { claimed_at: null }, 'and it can be confirmed again');
      } else assert.deepEqual(objects.get((await confirming).storage_key), SAMPLES.pdf);
    }
  }
  const { storage, objects } = makeStore((name, { Key }, all) => {
    if (name === 'HeadObject' && Key.startsWith('files/')) all.set(Key, sized(largest + 1));
  });
  const { upload } = await begin(objects, SAMPLES.pdf);
  await assert.rejects(confirmUpload(db, storage, upload, NOW, keep), { code: 'file_too_large' });
});

test('[UPLOAD-5] after a failure the upload can be confirmed again at once, and the copy stays only if its row may exist', async () => {
  for (const [what, error, copies] of [
    ['the row is rejected', new ConflictError('It changed.'), 0],
    ['the connection broke, perhaps during the commit', new Error('Connection terminated'), 1],
  ] as const) {
    const { storage, objects } = makeStore();
    const { upload, row } = await begin(objects, SAMPLES.pdf);
    const failing = confirmUpload(db, storage, upload, NOW, async () => {
      throw error;
    });
    await assert.rejects(failing, error);
    const keys = [...objects.keys()];
    assert.deepEqual(
      [keys.filter((key) => key.startsWith('files/')).length, keys.includes(upload.file_key)],
      [copies, true],
      what,
    );
    assert.deepEqual(await row(), { claimed_at: null });
    await confirmUpload(db, storage, upload, NOW, keep);
  }
  const { storage, objects } = makeStore();
  const { upload, row } = await begin(objects, null);
  await assert.rejects(confirmUpload(db, storage, upload, NOW, keep), { code: 'upload_missing' });
  assert.deepEqual(await row(), { claimed_at: null }, 'it has not arrived yet');
});

test('[IDEMPOTENCY-2, UPLOAD-5] a key belongs to one upload for one subject, and its answer is repeated for these only', async () => {
  const { storage, objects } = makeStore();
  const [first, second] = [await begin(objects, SAMPLES.pdf), await begin(objects, SAMPLES.pdf)];
  const key = randomUUID();
  const attach = (upload: UploadToConfirm) =>
    attachFile({ db, storage }, { ...upload, idempotencyKey: key }, NOW, async (_tx, { storage_key }) => ({ storage_key }));
  const answer = await attach(first.upload);
  assert.deepEqual(await attach(first.upload), answer);
  for (const other of [
    second.upload,
    { ...first.upload, subject_id: userId + 1 },
    { ...first.upload, purpose: 'profile_picture' as const },
  ])
    await assert.rejects(attach(other), { code: 'idempotency_key_reused' });
  assert.equal(objects.size, 2, 'nothing else was done');
});
