import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPolicy } from './policy.ts';
import { S3Error } from './s3-error.ts';

const now = new Date('2026-03-01T10:00:00Z');
const LATER = '2026-03-01T10:00:01.000Z';

function check(document: unknown, fields: Record<string, string> = {}) {
  const policy = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64');
  return checkPolicy(new Map([...Object.entries(fields), ['policy', policy]]), 'files', now);
}

function refusal(document: unknown, fields?: Record<string, string>): string {
  try {
    check(document, fields);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof S3Error);
    return error.code;
  }
}

const withConditions = (...conditions: unknown[]) => ({ expiration: LATER, conditions });

const malformed: [what: string, document: unknown][] = [
  ['no JSON', '{'],
  ['no object', []],
  ['null', null],
  ['no expiration', { conditions: [] }],
  ['an expiration that is no date', { expiration: 'soon', conditions: [] }],
  ['no conditions', { expiration: LATER }],
  ['conditions that are no list', { expiration: LATER, conditions: {} }],
  ['a condition that we never set', withConditions(['starts-with', '$key', 'x'])],
  ['an empty condition', withConditions({})],
  ['a value that is no text', withConditions({ key: 1 })],
  ['a condition that is no condition', withConditions('key')],
  ['a size below zero', withConditions(['content-length-range', -1, 5])],
  ['a size the wrong way round', withConditions(['content-length-range', 6, 5])],
  ['a size that is no number', withConditions(['content-length-range', 'a', 5])],
  ['a size without its end', withConditions(['content-length-range', 1])],
];

for (const [what, document] of malformed) {
  test(`a policy with ${what} is no policy`, () => assert.equal(refusal(document), 'InvalidPolicyDocument'));
}

test('a policy ends at the moment that it names', () => {
  assert.equal(refusal({ expiration: now.toISOString(), conditions: [] }), 'AccessDenied');
  assert.equal(refusal({ expiration: LATER, conditions: [] }), 'accepted');
});

test('every condition must be met, in any order and in any case of its field', () => {
  const conditions = withConditions({ Key: 'a/b' }, { 'content-type': 'x/y' }, { BUCKET: 'files' });
  assert.equal(refusal(conditions, { key: 'a/b', 'content-type': 'x/y' }), 'accepted');
  assert.equal(refusal(conditions, { key: 'b', 'content-type': 'x/y' }), 'AccessDenied');
  assert.equal(refusal(conditions, { key: 'a/b', 'content-type': 'x/z' }), 'AccessDenied');
  assert.equal(refusal(conditions, { key: 'a/b' }), 'AccessDenied');
  assert.equal(refusal(withConditions({ bucket: 'other' })), 'AccessDenied');
});

test('every field must have a condition, but for the proof itself', () => {
  const conditions = withConditions({ key: 'a' });
  assert.equal(refusal(conditions, { key: 'a', 'x-amz-signature': 's' }), 'accepted');
  assert.equal(refusal(conditions, { key: 'a', 'x-amz-date': 'd' }), 'AccessDenied');
});

test('several size ranges allow what all of them allow', () => {
  const size = check(withConditions(['content-length-range', 1, 10], ['content-length-range', 5, 20]));
  assert.deepEqual(size, { min: 5, max: 10 });
});
