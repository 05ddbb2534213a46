import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { NotFoundError, UnavailableError } from '@case-platform/lib/errors';
import { IMITATED_STORE } from '../../test/support/storage.ts';
import { createMissingBucket, deleteObjects, findObject, objectSource, putObject, readObject, requireBucket } from './objects.ts';
import { createStorage } from './storage.ts';

const fault = (status: number) =>
  new S3ServiceException({ name: 'Fault', $fault: 'client', $metadata: { httpStatusCode: status }, message: 'internal' });

interface Sent {
  name: string;
  input: Record<string, unknown>;
  signal: AbortSignal | undefined;
}

/** A storage whose calls are answered by `answer`, and a record of them. */
function storageOf(t: TestContext, answer: (sent: Sent) => unknown) {
  const storage = createStorage(IMITATED_STORE);
  const sent: Sent[] = [];
  t.mock.method(storage.client, 'send', async (command: { input: never }, options?: { abortSignal?: AbortSignal }) => {
    sent.push({ name: command.constructor.name, input: command.input, signal: options?.abortSignal });
    return answer(sent.at(-1) as Sent);
  });
  return { storage, sent };
}

test('[UPLOAD-2] any number of objects is deleted, a thousand in a call, and none is left out', async (t) => {
  for (const count of [0, 1, 999, 1000, 1001, 2000, 2001]) {
    const { storage, sent } = storageOf(t, () => ({}));
    const keys = Array.from({ length: count }, (_, at) => `key ${at}`);
    await deleteObjects(storage, keys);
    const lists = sent.map(({ input }) => (input.Delete as { Objects: { Key: string }[] }).Objects.map(({ Key }) => Key));
    assert.deepEqual(lists.flat(), keys);
    assert.equal(lists.length, Math.ceil(count / 1000), `${count} objects`);
  }
});

test('[ERROR-4] objects that the store keeps are not counted as deleted, however few of them', async (t) => {
  for (const kept of [1, 2]) {
    const { storage } = storageOf(t, () => ({ Errors: Array(kept).fill({ Code: 'InternalError' }) }));
    await assert.rejects(deleteObjects(storage, ['a', 'b']), UnavailableError);
  }
});

test('[ERROR-4] a store that is away, refuses our key, or is overloaded is an outage; an error of the call and an abort are not', async (t) => {
  const abort = Object.assign(new Error('aborted'), { name: 'AbortError' });
  const own = new NotFoundError();
  const rows: [error: Error, isOutage: boolean][] = [
    [new Error('ECONNREFUSED'), true],
    [fault(401), true],
    [fault(403), true],
    [fault(429), true],
    [fault(500), true],
    [fault(503), true],
    [fault(400), false],
    [fault(404), false],
    [fault(416), false],
    [abort, false],
    [own, false],
  ];
  for (const [error, isOutage] of rows) {
    const { storage } = storageOf(t, () => {
      throw error;
    });
    const thrown = await requireBucket(storage).catch((reason: unknown) => reason);
    assert.equal(thrown instanceof UnavailableError, isOutage, String(error));
    assert.equal(isOutage ? (thrown as Error).cause : thrown, error, 'the log shows the reason');
    if (isOutage) assert.doesNotMatch((thrown as Error).message, /internal|ECONN/);
  }
});

test('[HEALTH-1] a check of the bucket ends after three seconds', async (t) => {
  const timeout = t.mock.method(AbortSignal, 'timeout');
  const { storage, sent } = storageOf(t, () => ({}));
  await requireBucket(storage);
  await requireBucket(storage, { withinMs: 50 });
  assert.deepEqual(
    timeout.mock.calls.map(({ arguments: [ms] }) => ms),
    [3000, 50],
  );
  assert.ok(sent.every(({ signal }, at) => signal === timeout.mock.calls[at]?.result));
});

test('[FILE-5] the source of an upload is closed when the store fails, and when it has it all', async (t) => {
  for (const error of [null, fault(500)]) {
    const { storage } = storageOf(t, () => {
      if (error !== null) throw error;
      return { ETag: '"e"' };
    });
    const body = Readable.from([Buffer.from('x')]);
    const put = putObject(storage, { key: 'k', body, size: 1, contentType: 'text/plain' });
    if (error === null) assert.deepEqual(await put, { etag: '"e"' });
    else await assert.rejects(put, UnavailableError);
    assert.equal(body.destroyed, true);
  }
});

test('an object that is not there is null, and a range is read with both of its ends', async (t) => {
  const missing = storageOf(t, () => {
    throw fault(404);
  }).storage;
  assert.deepEqual([await findObject(missing, 'k'), await readObject(missing, 'k')], [null, null]);
  await assert.rejects(buffer(objectSource(missing, 'k', 1).open()), NotFoundError);
  const { storage, sent } = storageOf(t, () => ({ Body: Readable.from([Buffer.from('xy')]) }));
  assert.equal(String(await buffer(objectSource(storage, 'k', 9).open({ start: 3, end: 4 }))), 'xy');
  await readObject(storage, 'k', { etag: '"e"' });
  assert.deepEqual(
    sent.map(({ input: { Range, IfMatch } }) => [Range, IfMatch]),
    [
      ['bytes=3-4', undefined],
      [undefined, '"e"'],
    ],
  );
  const replaced = storageOf(t, () => {
    throw fault(412);
  }).storage;
  await assert.rejects(readObject(replaced, 'k', { etag: '"e"' }), { code: 'file_replaced' });
});

test('[START-9] several processes can create the bucket at the same time, and one that exists is not created', async (t) => {
  const rows: [head: number | null, create: number | null, calls: string[], isCreated: boolean][] = [
    [null, null, ['HeadBucketCommand'], true],
    [404, null, ['HeadBucketCommand', 'CreateBucketCommand'], true],
    [404, 409, ['HeadBucketCommand', 'CreateBucketCommand'], true],
    [404, 400, ['HeadBucketCommand', 'CreateBucketCommand'], false],
    [400, null, ['HeadBucketCommand'], false],
  ];
  for (const [head, create, calls, isCreated] of rows) {
    const { storage, sent } = storageOf(t, ({ name }) => {
      const status = name === 'HeadBucketCommand' ? head : create;
      if (status !== null) throw fault(status);
      return {};
    });
    assert.equal(
      await createMissingBucket(storage).then(
        () => true,
        () => false,
      ),
      isCreated,
      `${head} and ${create}`,
    );
    assert.deepEqual(
      sent.map(({ name }) => name),
      calls,
    );
  }
});
