import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStorage, createUploadPolicy } from '@case-platform/modules/storage';
import { parsePolicy, requirePolicySignature } from './policy.ts';
import { S3Error } from './s3-error.ts';

const CREDENTIALS = { accessKeyId: 'key/with/slashes', secretAccessKey: 'secret', region: 'us-east-1' };
const storage = createStorage({ endpoint: 'http://store.test', bucket: 'files', ...CREDENTIALS, forcePathStyle: true });
const NOW = new Date('2026-11-26T23:59:00.000Z');
const input = { key: 'uploads/1', contentType: 'application/pdf', minBytes: 5, maxBytes: 9 };

/** The fields of a form as they arrive, with changes; undefined leaves one out. */
function fieldsOf(changes: Record<string, string | undefined> = {}): Map<string, string> {
  const { upload_fields } = createUploadPolicy(storage, input, NOW);
  const fields = Object.entries(upload_fields).map(
    ([name, value]) => [name.toLowerCase(), value] as [string, string | undefined],
  );
  const all = new Map([...fields, ...Object.entries(changes)]);
  return new Map([...all].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function codeOf(check: () => unknown): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

/** The fields of a signature. */
const SIGNED = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'];

test('[UPLOAD-4, API-9] a policy is valid for five minutes, also over midnight, and no longer', () => {
  const at = (ms: number) => codeOf(() => parsePolicy(fieldsOf(), 'files', new Date(NOW.getTime() + ms)));
  assert.deepEqual([at(0), at(299_999), at(300_000)], ['accepted', 'accepted', 'AccessDenied']);
  assert.deepEqual(parsePolicy(fieldsOf(), 'files', NOW), { min: 5, max: 9 });
});

test('[UPLOAD-4] a form has exactly the fields of its policy, with their values, and goes to its bucket', () => {
  const parse = (changes: Record<string, string | undefined>, bucket = 'files') =>
    codeOf(() => parsePolicy(fieldsOf(changes), bucket, NOW));
  for (const name of fieldsOf().keys()) {
    const isProof = name === 'policy' || name === 'x-amz-signature';
    if (!isProof)
      assert.deepEqual([parse({ [name]: 'another' }), parse({ [name]: undefined })], ['AccessDenied', 'AccessDenied'], name);
  }
  assert.equal(parse({ acl: 'public-read' }), 'AccessDenied');
  assert.equal(parse({}, 'another'), 'AccessDenied');
  assert.equal(parse({ bucket: 'another' }), 'accepted', 'the address decides about the bucket');
});

test('[UPLOAD-1] only a policy that our key has signed on its day and in our region is read', () => {
  const check = (changes: Record<string, string | undefined>, credentials = CREDENTIALS) =>
    codeOf(() => requirePolicySignature(fieldsOf(changes), credentials));
  assert.equal(check({}), 'accepted');
  const credential = (key: string, day: string, region: string) => ({
    'x-amz-credential': `${key}/${day}/${region}/s3/aws4_request`,
  });
  const own = CREDENTIALS.accessKeyId;
  const rows: [what: string, changes: Record<string, string | undefined>, code: string][] = [
    ['without a policy', { policy: undefined }, 'AccessDenied'],
    ['another policy', { policy: Buffer.from('{}').toString('base64') }, 'SignatureDoesNotMatch'],
    ['another signature', { 'x-amz-signature': 'a'.repeat(64) }, 'SignatureDoesNotMatch'],
    ['another algorithm', { 'x-amz-algorithm': 'AWS4-HMAC-SHA1' }, 'InvalidArgument'],
    ['another key', credential('another', '20261126', 'us-east-1'), 'InvalidAccessKeyId'],
    ['another day of the key', credential(own, '20261127', 'us-east-1'), 'SignatureDoesNotMatch'],
    ['another region', credential(own, '20261126', 'eu-west-1'), 'SignatureDoesNotMatch'],
    ['a date without a time', { 'x-amz-date': '20261126' }, 'SignatureDoesNotMatch'],
    ...SIGNED.flatMap((name) => [
      [`an empty ${name}`, { [name]: '' }, 'InvalidArgument'] as [string, Record<string, string>, string],
      [`no ${name}`, { [name]: undefined }, 'InvalidArgument'] as [string, Record<string, undefined>, string],
    ]),
  ];
  for (const [what, changes, code] of rows) assert.equal(check(changes), code, what);
  assert.equal(check({}, { ...CREDENTIALS, secretAccessKey: 'another' }), 'SignatureDoesNotMatch');
});
