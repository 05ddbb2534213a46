import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeNext, signInPath } from './safe-next.ts';

test('[SIGN-IN-10] signing in leads back to a path of this application', () => {
  for (const path of ['/', '/messages', '/messages/12?cursor=abc#message-3', '/cases?q=a%20b', '/a/..;/b']) {
    assert.equal(safeNext(path), path);
  }
  assert.equal(signInPath('/messages/1?a=b'), '/login?next=%2Fmessages%2F1%3Fa%3Db');
});

test('[SIGN-IN-10] signing in never leads to another site', () => {
  const evil = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/..//evil.example',
    '/./\\evil.example',
    ' //evil.example',
    'messages',
    '',
    undefined,
    null,
    ['/messages'],
    `/${'a'.repeat(3000)}`,
    '/login?next=/login',
    '/logout',
  ];
  for (const value of evil) assert.equal(safeNext(value), '/', String(value));
});
