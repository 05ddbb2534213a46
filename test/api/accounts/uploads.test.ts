import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { afterEach, describe, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { ConflictError, UnavailableError } from '@case-platform/lib/errors';
import { cleanPicture, confirmUpload, findObject, putObject, sweepObjects } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { formOf, readAnswer, sendForm } from '../../storage/send-form.ts';
import { upload, uploadAndConfirm } from '../../support/direct-upload.ts';
import { openSpools } from '../../support/hostile/open-spools.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

let clock: Date | undefined;
const api = await startApi({ now: () => clock ?? new Date() });
const { parent, parent2, surrogate } = await api.everyone();

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
const count = async (text: string) => (await api.pool.query<{ n: number }>(text)).rows[0]?.n;

/** Pictures are cleaned in temporary files, which must not stay open however the work ends (FILE-5). */
const before = openSpools();
afterEach(() => assert.deepEqual(openSpools(before), []));

describe('a profile picture', () => {
  test('[UPLOAD-1, UPLOAD-8] after three steps the profile shows the picture', async () => {
    const before = (await parent.get('/api/user/me')).body;
    const begun = await begin(parent);
    assert.equal(begun.status, 200);
    const { upload_url, upload_fields, file_key } = begun.body;
    assert.deepEqual(Object.keys(begun.body).sort(), ['file_key', 'upload_fields', 'upload_url']);
    assert.ok(Object.values(upload_fields).every((value) => typeof value === 'string'));
    assert.ok(!upload_url.startsWith(api.baseUrl), 'the file does not pass through the API');
    assert.equal((await sendForm(upload_url, formOf(upload_fields, png))).status, 204);
    const { status, body } = await parent.post(`${PICTURE}/confirm`, { file_key });
    assert.deepEqual([status, body.email_address], [200, 'parent@demo.test']);
    assert.equal(body.profile_picture_state, 'waiting');
    assert.deepEqual(await download(body.profile_picture_url), { bytes: png, type: 'image/png' });
    const again = (await parent.get('/api/user/me')).body;
    assert.notEqual(again.profile_picture_url, null);
    assert.equal(again.photo_id?.uploaded_at, before.photo_id?.uploaded_at, 'a photo ID is another matter');
    assert.equal(await findObject(api.storage, file_key), null, 'it was moved');
  });

  test('[PICTURE-1] the worker removes its location and makes small versions', async () => {
    assert.ok(located.includes('Sesame'));
    assert.equal((await uploadAndConfirm(parent2, PICTURE, files.located)).status, 200);
    await api.work();
    const { body } = await parent2.get('/api/user/me');
    assert.equal(body.profile_picture_state, 'clean');
    for (const [url, width] of [
      [body.profile_picture_url, 256],
      [body.profile_picture_small_url, 96],
    ]) {
      const { bytes, type } = await download(url);
      const metadata = await sharp(bytes).metadata();
      assert.deepEqual([type, metadata.width, metadata.height, metadata.exif], ['image/webp', width, width, undefined]);
      const saved = new URL(url).searchParams.get('response-content-disposition');
      assert.match(saved ?? '', /filename="me\.webp"/, 'it is saved under the name of its kind');
    }
    const { rows } = await api.pool.query('select storage_key from user_file where user_id = $1', [parent2.userId]);
    const original = await api.storage.client.config.endpoint?.();
    assert.ok(original !== undefined);
    const head = await findObject(api.storage, rows[0].storage_key);
    assert.ok(head !== null && head.size < located.length, 'the original is rewritten too');
  });

  test('[FILE-4] its URL expires after an hour', async () => {
    await uploadAndConfirm(parent, PICTURE, files.png);
    const url = new URL((await parent.get('/api/user/me')).body.profile_picture_url);
    assert.equal(url.searchParams.get('X-Amz-Expires'), '3600');
  });

  test('[UPLOAD-8] a new picture replaces the old one, whose objects are deleted; it can be removed', async () => {
    await uploadAndConfirm(surrogate, PICTURE, files.located);
    await api.work();
    const keys = "select array_agg(storage_key) as n from user_file where purpose = 'profile_picture' and user_id = ";
    const [before] = (await count(keys + surrogate.userId)) as unknown as string[];
    await uploadAndConfirm(surrogate, PICTURE, files.png);
    await api.work();
    assert.equal(await findObject(api.storage, before ?? ''), null);
    assert.equal(await findObject(api.storage, before?.replace('.jpg', '.256.webp') ?? ''), null);
    const answer = await surrogate.call('DELETE', PICTURE);
    assert.deepEqual([answer.status, answer.body.profile_picture_url], [200, null]);
    assert.equal((await surrogate.call('DELETE', PICTURE)).status, 404);
    await api.work();
    const described = `select count(*) as n from stored_picture where storage_key like 'files/profile_picture/' || `;
    assert.equal(await count(`${described}${surrogate.userId} || '/%'`), 0);
    const audited = "select count(*) as n from audit_entry where action = 'profile_picture.delete' and subject_id = ";
    assert.equal(await count(audited + surrogate.userId), 1);
  });

  test('[PICTURE-3] a damaged picture is marked for good, and the queue continues', async () => {
    const junk = Buffer.concat([located.subarray(0, 200), Buffer.alloc(300, 9)]);
    await uploadAndConfirm(surrogate, PICTURE, { ...files.located, content: junk });
    await uploadAndConfirm(parent, PICTURE, files.png);
    await api.work();
    const { profile_picture_state, profile_picture_problem } = (await surrogate.get('/api/user/me')).body;
    assert.equal(profile_picture_state, 'failed');
    assert.equal(profile_picture_problem, 'This picture is damaged. Open it, save it again, and choose the new file.');
    assert.equal((await parent.get('/api/user/me')).body.profile_picture_state, 'clean');
    assert.equal(await count("select count(*) as n from graphile_worker.jobs where task_identifier = 'clean_picture'"), 0);
  });

  test('[PICTURE-2, PICTURE-3] a picture that needs too much memory is not decoded, and its owner learns what to choose', async () => {
    const large = sharp({ create: { width: 8000, height: 8000, channels: 3, background: '#22667a' } });
    const content = await large.jpeg({ progressive: true }).toBuffer();
    assert.ok(content.length < 750_000);
    await uploadAndConfirm(surrogate, PICTURE, { ...files.located, content });
    await api.work();
    const { profile_picture_state, profile_picture_problem } = (await surrogate.get('/api/user/me')).body;
    assert.equal(profile_picture_state, 'failed');
    assert.equal(profile_picture_problem, 'This picture is too large to process. Choose one below 9 megapixels.');
    await uploadAndConfirm(surrogate, PICTURE, files.png);
    assert.equal((await surrogate.get('/api/user/me')).body.profile_picture_problem, null);
  });

  test('[PICTURE-5] a picture whose processing has twice ended the worker is given up', async () => {
    const attempts = (number: number) => api.pool.query(`update stored_picture set attempts = ${number} where state = 'waiting'`);
    await uploadAndConfirm(surrogate, PICTURE, files.png);
    await attempts(1);
    await api.work();
    assert.equal((await surrogate.get('/api/user/me')).body.profile_picture_state, 'clean');
    await uploadAndConfirm(surrogate, PICTURE, files.png);
    const [storage_key] = (await count(
      `select array_agg(storage_key) as n from stored_picture where state = 'waiting'`,
    )) as unknown as string[];
    const send = (command: object) =>
      command instanceof PutObjectCommand ? Promise.reject(new Error('away')) : api.storage.client.send(command as never);
    const storage = { ...api.storage, client: { send } } as unknown as typeof api.storage;
    const cleaning = cleanPicture(
      { db: api.db, storage },
      { storage_key: storage_key ?? '', owner: surrogate.userId },
      new Date(),
    );
    await assert.rejects(cleaning, UnavailableError);
    assert.equal(await count(`select attempts as n from stored_picture where state = 'waiting'`), 0, 'the worker did not end');
    await attempts(2);
    await api.work();
    const { profile_picture_state, profile_picture_problem } = (await surrogate.get('/api/user/me')).body;
    assert.equal(profile_picture_state, 'failed');
    assert.match(profile_picture_problem, /^We couldn’t process this picture\./);
    assert.equal(await count("select count(*) as n from stored_picture where state = 'waiting'"), 0);
    // A repeated job does not touch it again, so the storage is not called.
    const unreachable = {
      ...api.storage,
      client: { send: () => Promise.reject(new Error('away')) },
    } as unknown as typeof storage;
    await cleanPicture(
      { db: api.db, storage: unreachable },
      { storage_key: storage_key ?? '', owner: surrogate.userId },
      new Date(),
    );
  });

  test('[PICTURE-4] the pictures of one person wait for each other, those of two people do not', async () => {
    await uploadAndConfirm(surrogate, PICTURE, files.png);
    await uploadAndConfirm(surrogate, PICTURE, files.located);
    await uploadAndConfirm(parent, PICTURE, files.png);
    const { rows } = await api.pool.query(
      "select array_agg(distinct queue_name) as queues from graphile_worker.jobs where task_identifier = 'clean_picture'",
    );
    assert.deepEqual(rows[0].queues.sort(), [`pictures:${parent.userId}`, `pictures:${surrogate.userId}`].sort());
    await api.work();
  });
});

describe('a photo ID', () => {
  test('[UPLOAD-8] a photo ID is accepted as PDF or picture, and leaves an audit entry without its content', async () => {
    const { status, body } = await uploadAndConfirm(parent, PHOTO_ID, files.pdf);
    assert.equal(status, 200);
    const { url, url_expires_at, uploaded_at, ...shown } = body.photo_id;
    const passport = { filename: 'passport.pdf', content_type: 'application/pdf', size: pdf.length };
    assert.deepEqual(shown, { ...passport, problem: null });
    assert.ok(Date.parse(url_expires_at) > Date.parse(uploaded_at));
    assert.deepEqual((await download(url)).bytes, pdf);
    await uploadAndConfirm(parent, PHOTO_ID, files.located);
    await api.work();
    const replaced = (await parent.get('/api/user/me')).body.photo_id;
    assert.ok(replaced.size < located.length);
    assert.ok(!(await download(replaced.url)).bytes.includes('Sesame'));
    const { rows } = await api.pool.query(
      "select action, actor_id, before, after from audit_entry where subject_type = 'photo_id' order by id",
    );
    assert.deepEqual(
      rows.map(({ action, actor_id }) => [action, Number(actor_id)]),
      [
        ['photo_id.upload', parent.userId],
        ['photo_id.replace', parent.userId],
      ],
    );
    assert.deepEqual(rows[1].before, { content_type: 'application/pdf', size: pdf.length });
  });

  test("[UPLOAD-8] a person cannot see another's", async () => {
    const rep = await api.as('rep');
    await api.pool.query(
      `insert into user_file (user_id, purpose, filename, content_type, size, storage_key)
       values ($1, 'photo_id', 'theirs.pdf', 'application/pdf', 1, 'files/photo_id/theirs.pdf')`,
      [rep.userId],
    );
    const nameFor = async (who: Client) => (await who.get('/api/user/me')).body.photo_id?.filename;
    assert.equal(await nameFor(rep), 'theirs.pdf');
    for (const other of [parent, parent2, surrogate]) assert.notEqual(await nameFor(other), 'theirs.pdf');
    await api.pool.query('delete from user_file where user_id = $1', [rep.userId]);
  });

  test('[UPLOAD-8, PICTURE-5] a picture that is replaced while it is cleaned leaves no object behind', async () => {
    for (const [path, next, shape] of [
      [PICTURE, files.png, 'with smaller versions'],
      [PHOTO_ID, files.pdf, 'without them'],
    ] as const) {
      await uploadAndConfirm(surrogate, path, files.located);
      const { rows } = await api.pool.query(
        `select storage_key from stored_picture where state = 'waiting' and storage_key like $1`,
        [`files/${path === PICTURE ? 'profile_picture' : 'photo_id'}/${surrogate.userId}/%`],
      );
      const key: string = rows[0].storage_key;
      const written: string[] = [];
      const send = async (command: object) => {
        if (command instanceof PutObjectCommand) {
          written.push(command.input.Key ?? '');
          if (written.length === 1) assert.equal((await uploadAndConfirm(surrogate, path, next)).status, 200);
        }
        return api.storage.client.send(command as never);
      };
      const storage = { ...api.storage, client: { send } } as unknown as typeof api.storage;
      await cleanPicture({ db: api.db, storage }, { storage_key: key, owner: surrogate.userId }, new Date());
      assert.equal(written.length, path === PICTURE ? 3 : 1);
      for (const one of written) assert.equal(await findObject(api.storage, one), null, shape);
    }
  });
});

describe('rejections before anything is uploaded', () => {
  const refused: [what: string, path: string, body: object][] = [
    ['a kind of file that is none', PICTURE, { filename: 'a.svg', content_type: 'image/svg+xml' }],
    ['a page', PHOTO_ID, { filename: 'a.html', content_type: 'text/html' }],
    ['a PDF as profile picture', PICTURE, { filename: 'a.pdf', content_type: 'application/pdf' }],
    ['a name that says something else', PICTURE, { filename: 'a.pdf', content_type: 'image/png' }],
    ['more than the purpose takes', PICTURE, { filename: 'a.png', content_type: 'image/png', size: 10 * 1024 ** 2 + 1 }],
    ['nothing at all', PICTURE, { filename: 'a.png', content_type: 'image/png', size: 0 }],
    ['half a byte', PICTURE, { filename: 'a.png', content_type: 'image/png', size: 1.5 }],
    ['no name', PICTURE, { content_type: 'image/png' }],
    ['an empty name', PICTURE, { filename: '', content_type: 'image/png' }],
    ['no content type', PICTURE, { filename: 'a.png' }],
    ['a very long name', PICTURE, { filename: `${'a'.repeat(300)}.png`, content_type: 'image/png' }],
    ['a NUL in the type', PICTURE, { filename: 'a.png', content_type: 'image/png\0' }],
  ];
  for (const [what, path, body] of refused) {
    test(`[ERROR-3] ${what}: 422`, async () => {
      const answer = await parent.post(`${path}/upload-url`, body);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      assert.equal(typeof answer.body.message, 'string');
    });
  }

  test('[FILE-7] control characters and paths in a name do not reach the storage', async () => {
    const { status } = await begin(parent, PHOTO_ID, { filename: '../../a\u0000b\u202e.png' });
    assert.equal(status, 200);
    const names = await api.pool.query('select filename from pending_upload order by created_at desc limit 1');
    assert.equal(names.rows[0].filename, 'ab.png');
  });

  test('[UPLOAD-7] a person who begins and never confirms is limited to fifty in an hour', async () => {
    const { userId } = await api.as('rep');
    await api.pool.query(
      `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at)
       select gen_random_uuid(), $1, 'photo_id', $1, 'a.png', 'image/png', now() from generate_series(1, 50)`,
      [userId],
    );
    const answer = await begin(await api.as('rep'));
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '600']);
  });
});

describe('the policy that the storage receives', () => {
  test('[UPLOAD-4] a policy allows one key, one type, a range of sizes, and five minutes', async () => {
    const now = Date.now();
    const { upload_fields, file_key } = (await begin(parent)).body;
    const policy = JSON.parse(Buffer.from(upload_fields.Policy, 'base64').toString());
    const milliseconds = Date.parse(policy.expiration) - now;
    assert.ok(milliseconds > 290_000 && milliseconds < 310_000, `${milliseconds} ms`);
    assert.equal(upload_fields.key, file_key);
    assert.ok(policy.conditions.some((condition: { key?: string }) => condition.key === file_key));
    assert.ok(policy.conditions.some((condition: unknown) => JSON.stringify(condition) === '{"Content-Type":"image/png"}'));
    assert.deepEqual(policy.conditions.at(-1), ['content-length-range', 1, 10 * 1024 * 1024]);
  });

  test('[UPLOAD-4] with a size, exactly that many bytes', async () => {
    const { upload_url, upload_fields } = (await begin(parent, PICTURE, { size: png.length })).body;
    const short = await sendForm(upload_url, formOf(upload_fields, png.subarray(1)));
    assert.deepEqual([short.status, short.code], [400, 'EntityTooSmall']);
    const long = await sendForm(upload_url, formOf(upload_fields, Buffer.concat([png, png])));
    assert.deepEqual([long.status, long.code], [400, 'EntityTooLarge']);
    assert.equal((await sendForm(upload_url, formOf(upload_fields, png))).status, 204);
  });
});

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
