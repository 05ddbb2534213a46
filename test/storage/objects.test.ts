import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectAclCommand,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ConflictError, DomainError, NotFoundError, UnavailableError } from '@case-platform/lib/errors';
import {
  closeStorage,
  copyObject,
  createStorage,
  deleteObjects,
  findObject,
  objectSource,
  parseFileType,
  putObject,
  readObject,
} from '@case-platform/modules/storage';
import { EVERY_STATUS, startSink } from '../support/sink.ts';
import { assertLikeS3, openStores } from './store-under-test.ts';

/** Pseudorandom bytes, so that a shifted or mixed object is noticed. */
function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let value = seed;
  for (let at = 0; at < length; at++) {
    value = (Math.imul(value, 1103515245) + 12345) >>> 0;
    bytes[at] = value >>> 16;
  }
  return bytes;
}

async function refused(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof S3ServiceException, String(error));
    return `${error.$metadata.httpStatusCode} ${error.name}`;
  }
}

for (const store of await openStores()) {
  const { storage, newKey } = store;
  const { client } = storage;
  const Bucket = storage.settings.bucket;
  const put = (Key: string, Body: Buffer | string, more = {}) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const get = async (Key: string, more = {}) => {
    const answer = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
    return { ...answer, bytes: await buffer(answer.Body as Readable) };
  };

  describe(`objects of the ${store.name}`, () => {
    after(() => store[Symbol.asyncDispose]());

    test('an object is put, headed, read, and deleted', async () => {
      const key = newKey('Vertrag für Anna.pdf');
      const bytes = bytesOf(200_000);
      const { etag } = await putObject(storage, {
        key,
        body: Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]),
        size: bytes.length,
        contentType: 'application/pdf',
      });
      const head = await findObject(storage, key);
      assert.deepEqual([head?.size, head?.etag, head?.contentType], [200_000, etag, 'application/pdf']);
      assert.ok(Math.abs(Date.now() - (head?.lastModified.getTime() ?? 0)) < 60_000);
      assert.ok((await get(key)).bytes.equals(bytes));
      await deleteObjects(storage, [key, newKey()]);
      assert.equal(await findObject(storage, key), null);
      assert.equal(await readObject(storage, key), null);
    });

    test('an object can be empty', async () => {
      const key = newKey();
      await put(key, '');
      assert.equal((await get(key)).bytes.length, 0);
      assert.equal((await findObject(storage, key))?.etag, '"d41d8cd98f00b204e9800998ecf8427e"');
      assert.equal(await refused(get(key, { Range: 'bytes=0-0' })), '416 InvalidRange');
    });

    const ranges: [range: string, start: number, end: number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=990-', 990, 999],
      ['bytes=-5', 995, 999],
      ['bytes=-5000', 0, 999],
      ['bytes=500-5000', 500, 999],
    ];
    test('single ranges are read', async (t) => {
      const key = newKey();
      const bytes = bytesOf(1000);
      await put(key, bytes);
      for (const [Range, start, end] of ranges) {
        const part = await get(key, { Range });
        assert.ok(part.bytes.equals(bytes.subarray(start, end + 1)), Range);
        assert.equal(part.ContentRange, `bytes ${start}-${end}/1000`);
        assert.equal(part.$metadata.httpStatusCode, 206);
      }
      assert.equal(await refused(get(key, { Range: 'bytes=1000-' })), '416 InvalidRange');
      assertLikeS3(store, t, [await refused(get(key, { Range: 'bytes=-0' })), '416 InvalidRange'], 'the last 0 bytes');
      const whole = await get(key, { Range: 'lines=1-2' });
      assert.deepEqual([whole.$metadata.httpStatusCode, whole.bytes.length], [200, 1000]);
    });

    test('a version is read only as long as it is current', async () => {
      const key = newKey();
      const { ETag } = await put(key, 'a');
      assert.equal((await get(key, { IfMatch: ETag })).bytes.toString(), 'a');
      assert.equal(await refused(get(key, { IfMatch: '"other"' })), '412 PreconditionFailed');
    });

    test('two puts of one key at once never mix', async () => {
      const key = newKey();
      const versions = [1, 2, 3, 4, 5].map((seed) => bytesOf(150_000 + seed, seed));
      await Promise.all(versions.map((bytes, index) => put(key, bytes, { ContentType: `text/x-${index}` })));
      const { bytes, ContentType } = await get(key);
      assert.ok(bytes.equals(versions[Number(ContentType?.slice(-1))] ?? Buffer.alloc(0)));
    });

    test('a reader keeps what it began to read while the object is replaced', async () => {
      const key = newKey();
      const old = bytesOf(3_000_000, 1);
      await put(key, old);
      const reading = await readObject(storage, key);
      await put(key, bytesOf(3_000_000, 2));
      assert.ok((await buffer(reading as Readable)).equals(old));
    });

    test('a wrong checksum leaves the previous object', async (t) => {
      const key = newKey();
      await put(key, 'before');
      const answer = await refused(put(key, 'after', { ChecksumCRC32: 'AAAAAA==' }));
      const { bytes } = await get(key);
      assertLikeS3(
        store,
        t,
        [
          [answer, bytes.toString()],
          ['400 BadDigest', 'before'],
        ],
        'a wrong CRC-32',
      );
    });

    test('a copy has the type of its source', async (t) => {
      const [from, to] = [newKey('a b+ü%.txt'), newKey()];
      const { ETag } = await put(from, 'text', { ContentType: 'text/plain' });
      const CopySource = `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
      const copy = (more = {}) => client.send(new CopyObjectCommand({ Bucket, Key: to, CopySource, ...more }));
      const made = (await copy({ CopySourceIfMatch: ETag })).CopyObjectResult?.ETag;
      assertLikeS3(store, t, [made, ETag], 'the ETag in the answer to a copy');
      const copied = await get(to);
      assert.deepEqual([copied.bytes.toString(), copied.ContentType], ['text', 'text/plain']);
      const other = await refused(copy({ CopySourceIfMatch: '"other"' }));
      assertLikeS3(store, t, [other, '412 PreconditionFailed'], 'a copy of a version that no longer exists');
      assert.equal(await refused(copy({ CopySource: `${Bucket}/none` })), '404 NoSuchKey');
    });

    test('[UPLOAD-5] an upload is copied to its final key only as it was checked', async (t) => {
      const [from, to] = [newKey('photo.png'), newKey()];
      await put(from, '%PDF-1.7 first');
      const head = await findObject(storage, from);
      const source = objectSource(storage, from, head?.size ?? 0);
      const checked = await parseFileType(source, { filename: 'a.pdf', contentType: 'application/pdf' });
      assert.equal(checked.contentType, 'application/pdf');
      await copyObject(storage, { from, to, etag: head?.etag ?? '' });
      await put(from, 'second');
      const again = await copyObject(storage, { from, to: newKey(), etag: head?.etag ?? '' }).then(
        () => 'copied',
        (error: Error) => error.constructor,
      );
      const isRefused = again === ConflictError;
      assertLikeS3(store, t, [isRefused, true], 'a copy of a replaced upload is rejected');
      await assert.rejects(copyObject(storage, { from: newKey(), to, etag: '"x"' }), NotFoundError);
      assert.equal((await get(to)).bytes.toString(), '%PDF-1.7 first');
    });

    test('objects are listed by prefix, page by page', async () => {
      const root = newKey('');
      const odd = ['a', 'b/1', 'b/c/3', 'b0', 'ü & <x>', '\u{1f389}', `long/${'x'.repeat(400)}`];
      const names = [...odd, ...Array.from({ length: 1000 }, (_, n) => `many/${n}`)];
      for (let at = 0; at < names.length; at += 50) {
        await Promise.all(names.slice(at, at + 50).map((name) => put(root + name, '')));
      }
      const list = async (Prefix: string) => {
        const keys: (string | undefined)[] = [];
        let ContinuationToken: string | undefined;
        do {
          const { Contents = [], NextContinuationToken } = await client.send(
            new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }),
          );
          keys.push(...Contents.map(({ Key }) => Key?.slice(root.length)));
          ContinuationToken = NextContinuationToken;
        } while (ContinuationToken !== undefined);
        return keys;
      };
      const inOrder = names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
      assert.deepEqual(await list(root), inOrder);
      assert.deepEqual(await list(`${root}b/`), ['b/1', 'b/c/3']);
    });

    test('buckets and keys that do not exist are rejected with 404', async () => {
      assert.equal(await refused(get(newKey())), '404 NoSuchKey');
      assert.match(await refused(client.send(new HeadObjectCommand({ Bucket, Key: newKey() }))), /^404 /);
      const other = { Bucket: 'no-such-bucket-7f3a', Key: 'a' };
      assert.equal(await refused(client.send(new PutObjectCommand({ ...other, Body: 'a' }))), '404 NoSuchBucket');
      assert.match(await refused(client.send(new HeadBucketCommand({ Bucket: other.Bucket }))), /^404 /);
    });

    if (store.name === 'development store') {
      test('a part of S3 that is missing here never falls through to another operation', async () => {
        const key = newKey();
        await put(key, 'kept');
        const setAcl = client.send(new PutObjectAclCommand({ Bucket, Key: key, ACL: 'public-read' }));
        assert.equal(await refused(setAcl), '501 NotImplemented');
        const inParts = client.send(new CreateMultipartUploadCommand({ Bucket, Key: key }));
        assert.equal(await refused(inParts), '501 NotImplemented');
        const alone = client.send(new DeleteObjectCommand({ Bucket, Key: key }));
        assert.equal(await refused(alone), '501 NotImplemented');
        assert.equal((await get(key)).bytes.toString(), 'kept');
      });
    }

    test('wrong secrets and unknown keys are rejected', async () => {
      for (const [wrong, expected] of [
        [{ secretAccessKey: 'wrong' }, '403 SignatureDoesNotMatch'],
        [{ accessKeyId: 'WRONG' }, '403 InvalidAccessKeyId'],
      ] as const) {
        const stranger = createStorage({ ...storage.settings, ...wrong });
        assert.equal(await refused(stranger.client.send(new GetObjectCommand({ Bucket, Key: 'a' }))), expected);
        await assert.rejects(findObject(stranger, 'a'), UnavailableError, 'as during a change of keys');
      }
    });
  });
}

test('a storage that cannot be reached counts as away, and the stream for it is closed', async () => {
  const storage = createStorage({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    bucket: 'files',
    accessKeyId: 'a',
    secretAccessKey: 'b',
    forcePathStyle: true,
  });
  const body = Readable.from([Buffer.from('a')]);
  const sending = putObject(storage, { key: 'a', body, size: 1, contentType: 'text/plain' });
  await assert.rejects(sending, UnavailableError);
  assert.ok(body.destroyed);
  await assert.rejects(findObject(storage, 'a'), UnavailableError);
});

test('[ERROR-4] one table says for each storage status whether the storage is away, lacks the object, or rejects the call', async (t) => {
  const sink = await startSink();
  const account = { region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', forcePathStyle: true };
  const storage = createStorage({ endpoint: sink.origin, bucket: 'files', ...account });
  t.after(() => closeStorage(storage));
  const outcome = async (call: Promise<unknown>) => {
    try {
      return (await call) === null ? 'none' : 'done';
    } catch (error) {
      if (error instanceof UnavailableError) return 'away';
      return error instanceof DomainError ? error.code : 'refused';
    }
  };
  const row = async (key: string, answer: Parameters<typeof sink.answers.set>[1]) => {
    for (const path of [`/files/${key}`, `/files/to-${key}`]) sink.answers.set(path, answer);
    const calls = [
      () => putObject(storage, { key, body: Readable.from(['a']), size: 1, contentType: 'text/plain' }),
      () => findObject(storage, key),
      () => readObject(storage, key, { etag: '"x"' }).then((body) => body?.destroy() ?? null),
      () => copyObject(storage, { from: 'k', to: `to-${key}`, etag: '"x"' }),
    ];
    return Promise.all(calls.map((call) => outcome(call())));
  };
  const AWAY = ['away', 'away', 'away', 'away'];
  const REFUSED = ['refused', 'refused', 'refused', 'refused'];
  const expected = (status: number) => {
    // A copy is confirmed by a document, and a 204 has none.
    if (status < 300) return ['done', 'done', 'done', status === 204 ? 'away' : 'done'];
    if (status === 404) return ['refused', 'none', 'none', 'not_found'];
    if (status === 412) return ['refused', 'refused', 'file_replaced', 'file_replaced'];
    const isAway = status < 400 || [401, 403, 408, 425, 429].includes(status) || status >= 500;
    return isAway ? AWAY : REFUSED;
  };
  const statuses = [...EVERY_STATUS, 412];
  const done = '<CopyObjectResult><ETag>&quot;x&quot;</ETag></CopyObjectResult>';
  const bodyOf = (status: number) => (status < 300 ? done : '<Error><Code>Some</Code><Message>x</Message></Error>');
  const rows = await Promise.all(statuses.map((status) => row(`k${status}`, { status, body: bodyOf(status) })));
  assert.deepEqual(
    statuses.map((status, at) => [status, ...(rows[at] ?? [])]),
    statuses.map((status) => [status, ...expected(status)]),
  );
  assert.deepEqual(await row('dropped', 'drop'), AWAY);
  // A page that is not from S3, such as a gateway's, says nothing about the object.
  for (const status of [200, 400, 404, 503]) {
    const [put, , , copied] = await row(`page${status}`, { status, body: '{"not": "XML"}' });
    assert.deepEqual([put, copied], [status === 200 ? 'done' : 'away', 'away'], String(status));
  }
});
