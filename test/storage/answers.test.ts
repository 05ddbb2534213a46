import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createUploadPolicy, findObject, putObject } from '@case-platform/modules/storage';
import { S3Error, type S3ErrorCode } from '../../apps/storage/s3-error.ts';
import { formOf, readAnswer, sendForm } from './send-form.ts';
import { ORIGIN, startDevelopmentStore } from './store-under-test.ts';

const store = await startDevelopmentStore();
after(() => store[Symbol.asyncDispose]());
const { storage, bucketUrl } = store;
const { client } = storage;
const Bucket = storage.settings.bucket;
const put = (key: string, content = '0123456789') =>
  putObject(storage, { key, body: Readable.from([Buffer.from(content)]), size: content.length, contentType: 'text/plain' });
/** The answer to a signed GET with these headers, and parameters of the address. */
const get = async (Key: string, headers = {}, more = {}) =>
  fetch(await getSignedUrl(client, new GetObjectCommand({ Bucket, Key, ...more })), { headers });
const codeOf = async (call: Promise<unknown>) => {
  const error = await call.catch((reason: unknown) => reason);
  return error instanceof S3ServiceException ? error.name : 'accepted';
};

test('[UPLOAD-1] pages of our origins send forms and read answers, and those of others do neither', async () => {
  const ask = (origin: string | null, method: string, wanted?: string) =>
    fetch(bucketUrl, {
      method: 'OPTIONS',
      headers: {
        ...(origin === null ? {} : { origin }),
        'access-control-request-method': method,
        ...(wanted === undefined ? {} : { 'access-control-request-headers': wanted }),
      },
    });
  for (const method of ['GET', 'HEAD', 'POST']) {
    const { status, headers } = await ask(ORIGIN, method, 'content-type, x-other');
    const shown = ['origin', 'methods', 'headers'].map((what) => headers.get(`access-control-allow-${what}`));
    assert.deepEqual([status < 300, ...shown], [true, ORIGIN, 'GET, HEAD, POST', 'content-type, x-other']);
    assert.equal(headers.get('access-control-max-age'), '3000');
  }
  assert.equal((await ask(ORIGIN, 'POST')).headers.get('access-control-allow-headers'), null);
  for (const [origin, method] of [
    [ORIGIN, 'PUT'],
    [ORIGIN, 'DELETE'],
    ['https://evil.test', 'POST'],
    [`${ORIGIN}0`, 'POST'],
    [null, 'POST'],
  ] as const) {
    const answer = await readAnswer(await ask(origin, method));
    assert.deepEqual([answer.status, answer.code], [403, 'AccessForbidden'], `${method} of ${origin}`);
    assert.equal(answer.headers.get('access-control-allow-methods'), null);
  }
  await put('page');
  for (const [origin, allowed] of [
    [ORIGIN, ORIGIN],
    ['https://evil.test', null],
  ] as const) {
    for (const answer of [await get('page', { origin }), await fetch(`${bucketUrl}/page`, { headers: { origin } })]) {
      const { headers } = answer;
      assert.equal(headers.get('access-control-allow-origin'), allowed);
      assert.equal(headers.get('access-control-expose-headers'), allowed && 'ETag, x-amz-request-id');
      assert.match(headers.get('vary') ?? '', /\borigin\b/i);
      assert.match(headers.get('x-amz-request-id') ?? '', /^[\w-]{8,}$/);
      await answer.body?.cancel();
    }
  }
});

test('[FILE-4] an object is sent with the headers of its address, in a sandbox, and in the asked part', async () => {
  await put('one');
  const { lastModified, etag } = (await findObject(storage, 'one')) ?? assert.fail('it is stored');
  const answer = await get('one', {}, { ResponseContentType: 'a/b', ResponseContentDisposition: 'attachment; filename="é"' });
  const shown = Object.fromEntries(answer.headers);
  assert.deepEqual(
    ['accept-ranges', 'content-length', 'content-type', 'etag', 'last-modified', 'content-security-policy'].map((n) => shown[n]),
    ['bytes', '10', 'a/b', etag, lastModified.toUTCString(), "sandbox; default-src 'none'"],
  );
  assert.equal(shown['content-disposition'], 'attachment; filename="é"', 'in UTF-8');
  for (const name of ['a\nb', 'a\rb', 'a\u007fb'])
    assert.equal((await readAnswer(await get('one', {}, { ResponseContentDisposition: name }))).code, 'InvalidArgument');
  const rows: [what: string, headers: Record<string, string>, status: number, body: string][] = [
    ['a part', { range: 'bytes=2-4' }, 206, '234'],
    ['a part, on the condition of a version', { range: 'bytes=2-4', 'if-range': etag }, 200, '0123456789'],
    ['a part that ends before it begins', { range: 'bytes=4-2' }, 200, '0123456789'],
    ['several parts', { range: 'bytes=0-1,3-4' }, 200, '0123456789'],
    ['this version, without quotes', { 'if-match': etag.replaceAll('"', '') }, 200, '0123456789'],
  ];
  for (const [what, headers, status, body] of rows) {
    const part = await get('one', headers);
    assert.deepEqual([part.status, await part.text()], [status, body], what);
  }
});

test('up to a thousand objects are deleted in one call, and each is named unless the caller wants to be spared', async () => {
  await put('old');
  const send = (count: number, Quiet = false) => {
    const Objects = Array.from({ length: count }, (_, at) => ({ Key: at === 0 ? 'old' : `none-${at}` }));
    return client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet } }));
  };
  assert.equal(await codeOf(send(1001)), 'MalformedXML');
  assert.notEqual(await findObject(storage, 'old'), null);
  assert.equal((await send(1000)).Deleted?.length, 1000);
  assert.equal(await findObject(storage, 'old'), null);
  assert.equal((await send(2, true)).Deleted, undefined);
});

test('nothing is stored in a bucket that does not exist, nor under a key that is too long', async () => {
  await put('one');
  const elsewhere = { Bucket: 'elsewhere', Key: 'one' };
  assert.equal(await codeOf(client.send(new CopyObjectCommand({ ...elsewhere, CopySource: `${Bucket}/one` }))), 'NoSuchBucket');
  assert.equal(await codeOf(client.send(new PutObjectCommand({ ...elsewhere, Body: 'x' }))), 'NoSuchBucket');
  for (const [length, code] of [
    [1024, undefined],
    [1025, 'KeyTooLongError'],
  ] as const) {
    const policy = { key: 'k'.repeat(length), contentType: 'text/plain', minBytes: 1, maxBytes: 9 };
    const { upload_url, upload_fields } = createUploadPolicy(storage, policy, new Date());
    assert.equal((await sendForm(upload_url, formOf(upload_fields, Buffer.from('x')))).code, code);
  }
});

test('each error has the status that Amazon documents for its code', () => {
  const codes: Record<number, string> = {
    400:
      'AuthorizationHeaderMalformed AuthorizationQueryParametersError BadDigest EntityTooLarge EntityTooSmall IncompleteBody ' +
      'InvalidArgument InvalidBucketName InvalidRequest InvalidURI KeyTooLongError MalformedPOSTRequest MalformedXML ' +
      'MaxMessageLengthExceeded MaxPostPreDataLengthExceeded XAmzContentSHA256Mismatch',
    403: 'AccessDenied AccessForbidden InvalidAccessKeyId RequestTimeTooSkewed SignatureDoesNotMatch',
    404: 'NoSuchBucket NoSuchKey',
    405: 'MethodNotAllowed',
    411: 'MissingContentLength',
    412: 'PreconditionFailed',
    416: 'InvalidRange',
    500: 'InternalError',
    501: 'NotImplemented',
  };
  for (const [status, names] of Object.entries(codes))
    for (const name of names.split(' ')) assert.equal(new S3Error(name as S3ErrorCode, '').status, Number(status), name);
});
