import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginPath, safeCallback } from './safe-callback.ts';

test('[SIGN-IN-10] signing in leads back to a path of this application', () => {
  assert.equal(safeCallback('/messages/5?x=1#end'), '/messages/5?x=1#end');
  assert.equal(safeCallback('/'), '/');
});

for (const away of [
  '//evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n//evil.test',
  '/.//evil.test',
  'https://evil.test',
  'javascript:alert(1)',
  'evil.test',
  '',
  '/login',
  '/api/messages',
  '/api',
  undefined,
  ['/messages'],
  `/${'a'.repeat(3000)}`,
]) {
  test(`[SIGN-IN-10] signing in never leads to ${JSON.stringify(away)?.slice(0, 40)}`, () => {
    assert.equal(safeCallback(away), '/');
  });
}

test('the address of the sign-in page has the way back and the reason', () => {
  assert.equal(loginPath('/'), '/login');
  assert.equal(loginPath('/messages/5'), '/login?callbackUrl=%2Fmessages%2F5');
  assert.equal(loginPath('//evil.test', 'ended'), '/login?session=ended');
});
