import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { createUploadPolicy, findObject, readObject, type UploadDescriptor } from '@case-platform/modules/storage';
import { type FormPart, formOf, type StoreAnswer, sendForm } from './send-form.ts';
import { assertLikeS3, openStores, type StoreUnderTest } from './store-under-test.ts';

const MAX_BYTES = 100_000;
const GOOD = Buffer.from('a good file');

interface Case {
  title: string;
  /** Changes to the default upload policy. */
  policy?: { minBytes?: number; expiresIn?: number };
  /** The time at which the policy is signed; now if unset. */
  signedAt?: Date;
  send: (descriptor: UploadDescriptor, key: string) => FormPart[];
  /** True if another store must reject it, too. Other faults are detected when the upload is confirmed. */
  serious?: boolean;
  /** The status and, for a rejection, S3's code. */
  expected: [status: number, code?: string];
}

const fieldsOf = ({ upload_fields }: UploadDescriptor) => Object.entries(upload_fields).map(([name, value]) => ({ name, value }));
const fileOf = (value: Buffer, filename = 'file.bin'): FormPart => ({ name: 'file', value, filename });
const without = (fields: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

function tampered({ upload_fields }: UploadDescriptor, change: (policy: string) => string): Record<string, string> {
  const policy = Buffer.from(upload_fields.Policy ?? '', 'base64').toString();
  return { ...upload_fields, Policy: Buffer.from(change(policy)).toString('base64') };
}

const HOUR_AGO = new Date(Date.now() - 3_600_000);

const cases: Case[] = [
  {
    title: '[UPLOAD-1] a valid upload is stored',
    send: (descriptor) => formOf(descriptor.upload_fields, GOOD),
    expected: [204],
  },
  {
    title: 'the largest and the smallest file that the policy allows',
    policy: { minBytes: MAX_BYTES },
    send: (descriptor) => formOf(descriptor.upload_fields, Buffer.alloc(MAX_BYTES, 1)),
    expected: [204],
  },
  {
    title: 'names of fields in another case',
    send: ({ upload_fields }) =>
      formOf(Object.fromEntries(Object.entries(upload_fields).map(([name, value]) => [name.toUpperCase(), value])), GOOD),
    expected: [204],
  },
  {
    title: '[UPLOAD-3] a file before the fields is rejected',
    send: (descriptor) => [fileOf(GOOD), ...fieldsOf(descriptor)],
    expected: [400, 'InvalidArgument'],
  },
  {
    title: '[UPLOAD-3] a file between the fields is rejected',
    send: (descriptor) => {
      const fields = fieldsOf(descriptor);
      return [...fields.slice(0, 3), fileOf(GOOD), ...fields.slice(3)];
    },
    expected: [403, 'AccessDenied'],
  },
  { title: 'no file', serious: false, send: (descriptor) => fieldsOf(descriptor), expected: [400, 'InvalidArgument'] },
  {
    title: 'two files',
    serious: false,
    send: (descriptor) => [...formOf(descriptor.upload_fields, GOOD), fileOf(GOOD, 'second.bin')],
    expected: [400, 'InvalidArgument'],
  },
  {
    title: '[UPLOAD-6] a rejected upload has an error document as its body (one byte too large)',
    send: (descriptor) => formOf(descriptor.upload_fields, Buffer.alloc(MAX_BYTES + 1)),
    expected: [400, 'EntityTooLarge'],
  },
  {
    title: 'far too large',
    send: (descriptor) => formOf(descriptor.upload_fields, Buffer.alloc(40 * MAX_BYTES)),
    expected: [400, 'EntityTooLarge'],
  },
  {
    title: 'one byte too small',
    policy: { minBytes: GOOD.length + 1 },
    send: (descriptor) => formOf(descriptor.upload_fields, GOOD),
    expected: [400, 'EntityTooSmall'],
  },
  {
    title: 'an empty file',
    send: (descriptor) => formOf(descriptor.upload_fields, Buffer.alloc(0)),
    expected: [400, 'EntityTooSmall'],
  },
  {
    title: 'another content type',
    send: ({ upload_fields }) => formOf({ ...upload_fields, 'Content-Type': 'text/html' }, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'no content type',
    send: ({ upload_fields }) => formOf(without(upload_fields, 'Content-Type'), GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'another key',
    send: ({ upload_fields }, key) => formOf({ ...upload_fields, key: `${key}x` }, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'a key that leads to the same place by another way',
    send: ({ upload_fields }, key) => formOf({ ...upload_fields, key: `x/../${key}` }, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'no key',
    send: ({ upload_fields }) => formOf(without(upload_fields, 'key'), GOOD),
    expected: [400, 'InvalidArgument'],
  },
  {
    title: 'an extra field',
    send: ({ upload_fields }) => formOf({ ...upload_fields, 'x-amz-meta-owner': 'somebody' }, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'an access list beside the policy',
    send: ({ upload_fields }) => formOf({ ...upload_fields, acl: 'public-read' }, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'a policy that has expired',
    signedAt: HOUR_AGO,
    send: (descriptor) => formOf(descriptor.upload_fields, GOOD),
    expected: [403, 'AccessDenied'],
  },
  {
    title: 'a policy changed to allow more',
    send: (descriptor) =>
      formOf(
        tampered(descriptor, (policy) => policy.replace('100000', '999999')),
        GOOD,
      ),
    expected: [403, 'SignatureDoesNotMatch'],
  },
  {
    title: 'a policy changed for another key',
    send: (descriptor, key) => {
      const fields = tampered(descriptor, (policy) => policy.replace(key, `${key}x`));
      return formOf({ ...fields, key: `${key}x` }, GOOD);
    },
    expected: [403, 'SignatureDoesNotMatch'],
  },
  {
    title: 'a bad signature',
    send: ({ upload_fields }) => formOf({ ...upload_fields, 'X-Amz-Signature': '0'.repeat(64) }, GOOD),
    expected: [403, 'SignatureDoesNotMatch'],
  },
  {
    title: 'a signature of another length',
    send: ({ upload_fields }) => formOf({ ...upload_fields, 'X-Amz-Signature': 'é' }, GOOD),
    expected: [403, 'SignatureDoesNotMatch'],
  },
  {
    title: 'no signature',
    send: ({ upload_fields }) => formOf(without(upload_fields, 'X-Amz-Signature'), GOOD),
    expected: [400, 'InvalidArgument'],
  },
  {
    title: 'an unknown access key',
    send: ({ upload_fields }) => {
      const credential = upload_fields['X-Amz-Credential']?.replace(/^[^/]+/, 'UNKNOWNKEY');
      return formOf({ ...upload_fields, 'X-Amz-Credential': credential ?? '' }, GOOD);
    },
    expected: [403, 'InvalidAccessKeyId'],
  },
  {
    title: 'no policy',
    send: ({ upload_fields }) => formOf(without(upload_fields, 'Policy'), GOOD),
    expected: [403, 'AccessDenied'],
  },
  { title: 'nothing but a key', send: (_, key) => formOf({ key }, GOOD), expected: [403, 'AccessDenied'] },
];

for (const store of await openStores()) {
  describe(`uploads with a policy to the ${store.name}`, () => {
    after(() => store[Symbol.asyncDispose]());
    for (const { title, policy, signedAt, send, expected, serious = true } of cases) {
      test(title, async (t) => {
        const key = store.newKey();
        const descriptor = createUploadPolicy(
          store.storage,
          {
            key,
            contentType: 'application/pdf',
            maxBytes: MAX_BYTES,
            ...policy,
          },
          signedAt ?? new Date(),
        );
        const parts = send(descriptor, key);
        const answer = await sendForm(descriptor.upload_url, parts);
        const [status, code] = expected;
        if (code === undefined) await assertStored(store, t, { key, parts, answer, status });
        else {
          if (serious) assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.body}`);
          assertLikeS3(
            store,
            t,
            [
              [answer.status, answer.code],
              [status, code],
            ],
            title,
          );
          const stored = await Promise.all([key, `${key}x`].map((name) => findObject(store.storage, name)));
          if (serious) assert.deepEqual(stored, [null, null]);
        }
        if (store.name === 'development store') {
          assert.deepEqual(await store.listDrafts(), []);
          assert.equal(answer.headers.get('connection'), 'keep-alive');
        }
      });
    }
  });
}

interface StoredCase {
  key: string;
  parts: FormPart[];
  answer: StoreAnswer;
  status: number;
}

async function assertStored(store: StoreUnderTest, t: TestContext, { key, parts, answer, status }: StoredCase) {
  assert.equal(answer.status, status, answer.body);
  const head = await findObject(store.storage, key);
  assert.equal(head?.contentType, 'application/pdf');
  assertLikeS3(store, t, [answer.headers.get('etag'), head.etag], 'the ETag that an upload answers');
  const stored = await (await readObject(store.storage, key))?.toArray();
  assert.deepEqual(Buffer.concat(stored ?? []), parts.at(-1)?.value);
}
