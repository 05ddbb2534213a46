import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Database } from '@case-platform/lib/database';
import { ConflictError, NotFoundError, UnavailableError } from '@case-platform/lib/errors';
import { findActiveUser } from '@case-platform/modules/accounts';
import { type IncomingFile, replyToChain, startChain } from '@case-platform/modules/messaging';
import { closeStorage, createStorage, spoolFile } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { CASE_1 } from '../../support/cast.ts';
import { eventually } from '../../support/eventually.ts';
import { hostilePictures } from '../../support/hostile/hostile-files.ts';
import { openSpools } from '../../support/hostile/open-spools.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();
const parent = await api.as('parent');
const spooled = new AsyncDisposableStack();
after(() => spooled.disposeAsync());
async function countFiles(): Promise<number> {
  const { client, settings } = api.storage;
  const { KeyCount = 0 } = await client.send(new ListObjectsV2Command({ Bucket: settings.bucket, Prefix: 'messages/' }));
  return KeyCount;
}

test('[PICTURE-1] a picture sent with a message keeps its pixels and loses the place where it was taken', async () => {
  const place = {
    GPSLatitudeRef: 'N',
    GPSLatitude: '52/1 31/1 12/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '13/1 24/1 18/1',
  };
  const plain = sharp({ create: { width: 40, height: 30, channels: 3, background: '#3a7d7c' } });
  const content = await plain
    .jpeg()
    .withExif({ IFD0: { Make: 'Telltale' }, IFD3: place })
    .toBuffer();
  assert.ok(content.includes('Telltale'));
  const file = { name: 'scan.jpg', type: 'image/jpeg', content };
  const { status, body } = await parent.form('/api/messages', { message: 'Here it is', case_id: String(CASE_1) }, [file]);
  assert.equal(status, 201, JSON.stringify(body));
  const [stored] = body.message.files;
  const received = Buffer.from(await (await fetch(stored.url)).arrayBuffer());
  assert.equal(received.length, stored.size);
  assert.ok(!received.includes('Telltale') && (await sharp(received).metadata()).exif === undefined);
  assert.ok((await sharp(received).raw().toBuffer()).equals(await sharp(content).raw().toBuffer()));
});

test('[PICTURE-3] a picture whose location cannot be removed is rejected, and the sender learns why', async () => {
  const content = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(40, 7)]);
  const file = { name: 'odd.jpg', type: 'image/jpeg', content };
  const { status, body } = await parent.form('/api/messages', { message: 'Odd', case_id: String(CASE_1) }, [file]);
  assert.deepEqual([status, body.code], [422, 'picture_unreadable']);
  assert.match(body.errors[0].message, /“odd\.jpg” as a picture, so we can’t remove its location/);
  const { rows } = await api.pool.query("select from message where message = 'Odd'");
  assert.equal(rows.length, 0);
});

for (const [what, [type, content]] of Object.entries(hostilePictures())) {
  if (content.length > 5 * 1024 * 1024) continue;
  test(`[PICTURE-2] ${what} is answered without using memory of this process`, async () => {
    const name = `odd.${type.slice(6)}`;
    const before = process.memoryUsage().arrayBuffers;
    let highest = 0;
    const watching = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().arrayBuffers - before - content.length);
    }, 5);
    const file = { name, type, content };
    const { status } = await parent.form('/api/messages', { message: what, case_id: String(CASE_1) }, [file]);
    clearInterval(watching);
    assert.ok(status === 422 || status === 201, `${status}`);
    assert.ok(highest < 64 * 1024 * 1024, `${highest} bytes`);
  });
}

test('[FILE-5] neither files nor copies of pictures stay open, whatever becomes of the message', async () => {
  const content = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#3a7d7c' } })
    .png()
    .toBuffer();
  const picture = { name: 'a.png', type: 'image/png', content };
  const damaged = { name: 'b.png', type: 'image/png', content: content.subarray(0, 60) };
  const before = openSpools();
  const areClosed = () => openSpools(before).length === 0;
  const fields = { message: 'With a picture', case_id: String(CASE_1) };
  const rows: [what: string, path: string, fields: Record<string, string>, files: (typeof picture)[], status: number][] = [
    ['sent', '/api/messages', fields, [picture, picture], 201],
    ['with a damaged picture', '/api/messages', fields, [picture, damaged], 422],
    ['to an impossible case', '/api/messages', { ...fields, case_id: 'x' }, [picture], 422],
    ['to a case of others', '/api/messages', { ...fields, case_id: '999999999' }, [picture], 404],
    ['to no conversation', '/api/messages/999999999', { message: 'a' }, [picture], 404],
    ['too long', '/api/messages', { ...fields, message: 'a'.repeat(10_001) }, [picture], 422],
  ];
  for (const [what, path, more, files, status] of rows) {
    assert.equal((await parent.form(path, more, files)).status, status, what);
    await eventually(`all files are closed: ${what}`, areClosed);
  }
  const sender = await findActiveUser(api.db, { email_address: 'parent@demo.test', user_type: 'ip' });
  assert.ok(sender);
  const storage = createStorage({ ...api.storage.settings, endpoint: 'http://127.0.0.1:1' });
  {
    await using original = await spoolFile(Readable.from([content]), { maxBytes: 10_000 });
    const files = [{ filename: 'a.png', contentType: 'image/png', content: original }];
    await assert.rejects(
      startChain({ db: api.db, storage }, sender, { message: 'Away', case_id: CASE_1, files }),
      UnavailableError,
    );
    assert.equal(openSpools(before).length, 1, 'the copy is closed, and the original is its owner’s');
  }
  closeStorage(storage);
  assert.ok(areClosed());
});

test('[MESSAGE-4] a message whose sender leaves while its picture is processed is not sent', async () => {
  const leaving = new AbortController();
  const sender = await findActiveUser(api.db, { email_address: 'parent@demo.test', user_type: 'ip' });
  assert.ok(sender);
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#3a7d7c' } })
    .png()
    .toBuffer();
  await using content = await spoolFile(Readable.from([picture]), { maxBytes: 10_000 });
  const files = [{ filename: 'a.png', contentType: 'image/png', content }];
  const sending = startChain(api, sender, { message: 'Left behind', case_id: CASE_1, files, signal: leaving.signal });
  leaving.abort(new Error('left'));
  await assert.rejects(sending, /left/);
  const { rows } = await api.pool.query("select from message where message = 'Left behind'");
  assert.equal(rows.length, 0);
});

test('[MESSAGE-5] a message that was written although its answer was lost keeps its files', async () => {
  const begun = await parent.form('/api/messages', { message: 'The contract follows', case_id: String(CASE_1) });
  const sender = await findActiveUser(api.db, { email_address: 'parent@demo.test', user_type: 'ip' });
  assert.ok(sender);
  const lost: Database = {
    ...api.db,
    transaction: async (work) => {
      await api.db.transaction(work);
      throw new Error('Connection terminated unexpectedly');
    },
  };
  const content = await spoolFile(Readable.from([Buffer.from('the contract')]), { maxBytes: 100 });
  const files = [{ filename: 'contract.txt', contentType: 'text/plain', content }];
  const outgoing = { message: 'Here it is', files, idempotencyKey: 'answer-lost' };
  const reply = (db: Database) => replyToChain({ db, storage: api.storage }, sender, begun.body.chain.id, outgoing);
  await assert.rejects(reply(lost), /terminated/);
  const { message_id } = await reply(api.db);
  const { body } = await parent.get(`/api/messages/${begun.body.chain.id}`);
  const message = body.messages.data.find(({ id }: { id: number }) => id === message_id);
  assert.equal(await (await fetch(message.files[0].url)).text(), 'the contract');
  await content.dispose();
});

test('[CHAIN-16] someone who is taken off the case while the files of a new conversation are sent does not become a member', async () => {
  const sender = await findActiveUser(api.db, { email_address: 'parent@demo.test', user_type: 'ip' });
  const { userId } = await api.as('surrogate');
  assert.ok(sender);
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  async function* slowly() {
    await gate.promise;
    yield Buffer.from('slow');
  }
  const content = await readAs(() => {
    begun.resolve();
    return Readable.from(slowly());
  });
  const files = [{ filename: 'scan.txt', contentType: 'text/plain', content }];
  const recipients = [{ user_type: 'surrogate' as const, user_id: userId }];
  const before = await countFiles();
  const started = startChain(api, sender, { message: 'For you alone', case_id: CASE_1, recipients, files });
  await begun.promise;
  const onCase = (leftAt: string) =>
    api.pool.query(`update case_participant set left_at = ${leftAt} where case_id = $1 and user_id = $2`, [CASE_1, userId]);
  await onCase('now()');
  gate.resolve();
  await assert.rejects(started, NotFoundError);
  await onCase('null');
  const { rows } = await api.pool.query("select from message where message = 'For you alone'");
  assert.deepEqual([rows.length, await countFiles()], [0, before], 'nor is its file stored');
});

test('[IDEMPOTENCY-4] a slow request whose key another request has taken over is rejected, and a repeat gets its message', async () => {
  const begun = await parent.form('/api/messages', { message: 'The receipt follows', case_id: String(CASE_1) });
  const sender = await findActiveUser(api.db, { email_address: 'parent@demo.test', user_type: 'ip' });
  assert.ok(sender);
  const hashed = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let opened = 0;
  async function* slowly() {
    opened += 1;
    if (opened > 1) {
      hashed.resolve();
      await gate.promise;
    }
    yield Buffer.from('slow');
  }
  const send = (content: IncomingFile['content']) =>
    replyToChain(api, sender, begun.body.chain.id, {
      message: 'Twice under way',
      idempotencyKey: 'taken-over',
      files: [{ filename: 'scan.txt', contentType: 'text/plain', content }],
    });
  const slow = send(await readAs(() => Readable.from(slowly())));
  await hashed.promise;
  await api.pool.query(`update idempotency_key set created_at = now() - interval '3 minutes' where key = 'taken-over'`);
  const { message_id } = await send(await readAs(() => Readable.from([Buffer.from('slow')])));
  const before = await countFiles();
  gate.resolve();
  await assert.rejects(slow, (error) => {
    assert.ok(error instanceof ConflictError, String(error));
    assert.equal(error.code, 'idempotency_key_in_flight');
    return true;
  });
  const { rows } = await api.pool.query(`select id::int as id from message where message = 'Twice under way'`);
  assert.deepEqual(rows, [{ id: message_id }]);
  assert.equal(await countFiles(), before, 'only the file of the message is stored');
  const again = await send(await readAs(() => Readable.from([Buffer.from('slow')])));
  assert.equal(again.message_id, message_id);
});

/** Returns the content of a file of four bytes whose stream comes from `open`. */
async function readAs(open: () => Readable): Promise<IncomingFile['content']> {
  const file = await spoolFile(Readable.from([Buffer.from('slow')]), { maxBytes: 4 });
  spooled.use(file);
  return Object.assign(file, { open });
}

/** Sends a message form with one more part, byte for byte. */
function sendPart(disposition: string, content = 'content', type = 'text/plain') {
  const field = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `--b\r\n${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
  const form = `${field('message', 'With it')}${field('case_id', String(CASE_1))}${head}${content}\r\n--b--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return parent.call('POST', '/api/messages', { headers, body: Buffer.from(form, 'latin1') });
}

const named = (filename: string) => `Content-Disposition: form-data; name="files"; ${filename}`;

for (const [what, disposition] of [
  ['a bare CR in its file name', named('filename="a\rb.txt"')],
  ['a bare LF in its file name', named('filename="a\nb.txt"')],
  ['an encoded CR in its file name', named("filename*=UTF-8''a%0Db.txt")],
  ['an encoded CR and LF in its file name', named("filename*=UTF-8''a%0D%0Ab.txt")],
  ['a bare CR in its name', 'Content-Disposition: form-data; name="fi\rles"; filename="a.txt"'],
  ['another disposition', 'Content-Disposition: attachment; name="files"; filename="a.txt"'],
  ['no disposition', 'X-Other: a'],
  ['no file name', 'Content-Disposition: form-data; name="files"'],
] as const) {
  test(`[FILE-6] a file with ${what} is rejected, never left out of a message that is sent`, async () => {
    const { status, body } = await sendPart(disposition);
    assert.equal(status, 422, JSON.stringify(body));
  });
}

for (const [what, filename, cleanName] of [
  ['a NUL', 'filename="a\0b.txt"', 'ab.txt'],
  ['an escaped quote', 'filename="a\\"b.txt"', 'a"b.txt'],
  ['a quote as browsers write it', 'filename="a%22b.txt"', 'a"b.txt'],
  ['a line break as browsers write it', 'filename="a%0D%0Ab.txt"', 'a b.txt'],
  ['any other percent sign', 'filename="50%25 of 20%20.txt"', '50%25 of 20%20.txt'],
  ['a path', 'filename="..\\\\..\\\\a.txt"', 'a.txt'],
  ['letters in UTF-8', "filename*=UTF-8''%C3%A9t%C3%A9.txt", 'été.txt'],
  ['an unknown character set', "filename*=klingon''a.txt", 'a.txt'],
  ['no quotes', 'filename=a.txt', 'a.txt'],
  ['an empty file name', 'filename=""', 'file'],
] as const) {
  test(`[FILE-7] a file with ${what} keeps the visible part of its name`, async () => {
    const { status, body } = await sendPart(named(filename));
    assert.equal(status, 201, JSON.stringify(body));
    const files: { filename: string; url: string }[] = body.message.files;
    assert.deepEqual(
      files.map((file) => file.filename),
      [cleanName],
    );
    assert.equal(await (await fetch(files[0]?.url ?? '')).text(), 'content');
  });
}

test('[FILE-2] bytes without a file name are checked as a file too', async () => {
  const { status, body } = await sendPart('Content-Disposition: form-data; name="files"', 'content', 'application/octet-stream');
  assert.deepEqual([status, body.code], [422, 'file_type']);
});

test('[FILE-8] text that only looks like the end of a part is content', async () => {
  for (const content of ['--', '\r\n-b', '\r\n--', `${'x'.repeat(70_000)}\r\n--`, '\n--b\r\n', '\r\n\r\n']) {
    const { status, body } = await sendPart(named('filename="a.txt"'), content);
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(await (await fetch(body.message.files[0].url)).text(), content);
  }
});
