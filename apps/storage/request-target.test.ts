import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestTarget, requireShortKey } from './request-target.ts';
import { S3Error } from './s3-error.ts';

function outcome(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

test('an address is split as it was sent, and nothing in it is normalized', () => {
  const rows: [url: string, expected: unknown][] = [
    ['/', ['', '', {}]],
    ['/files', ['files', '', {}]],
    ['/files/', ['files', '', {}]],
    ['/files/a', ['files', 'a', {}]],
    ['/files//a/../b/.', ['files', '/a/../b/.', {}]],
    ['/files/a%2Fb%20c+d%C3%BC', ['files', 'a/b c+dü', {}]],
    ['/files?list-type=2&prefix=a%2Bb+c&delete', ['files', '', { 'list-type': '2', prefix: 'a+b c', delete: '' }]],
    ['/files/a?x=1=2&&y=?', ['files', 'a', { x: '1=2', y: '?' }]],
    ['/files/a?x=1&x=2', 'InvalidArgument'],
    ['/files/%', 'InvalidURI'],
    ['/files/%ff', 'InvalidURI'],
    ['/files?x=%', 'InvalidURI'],
    ['/ab/c', 'InvalidBucketName'],
    ['/abc/c', ['abc', 'c', {}]],
    [`/${'a'.repeat(63)}/c`, ['a'.repeat(63), 'c', {}]],
    [`/${'a'.repeat(64)}/c`, 'InvalidBucketName'],
    ['/..%2F..%2Fetc/c', 'InvalidBucketName'],
    ['/.files/c', 'InvalidBucketName'],
    ['/files-/c', 'InvalidBucketName'],
    ['/Files/c', 'InvalidBucketName'],
  ];
  for (const [url, expected] of rows) {
    const parts = outcome(() => {
      const { bucket, key, query, rawPath } = parseRequestTarget(url);
      assert.equal(rawPath, url.split('?', 1)[0]);
      return [bucket, key, Object.fromEntries(query)];
    });
    assert.deepEqual(parts, expected, url);
  }
});

test('a key has up to 1,024 bytes', () => {
  for (const [key, expected] of [
    ['x'.repeat(1024), undefined],
    ['x'.repeat(1025), 'KeyTooLongError'],
    ['ü'.repeat(512), undefined],
    [`x${'ü'.repeat(512)}`, 'KeyTooLongError'],
  ] as const) {
    assert.equal(
      outcome(() => requireShortKey(key)),
      expected,
    );
    const inAddress = outcome(() => void parseRequestTarget(`/files/${encodeURIComponent(key)}`));
    assert.equal(inAddress, expected);
  }
});
