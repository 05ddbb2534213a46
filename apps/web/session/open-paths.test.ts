import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenPath } from './open-paths.ts';

test('[WEB-2] the icons of pushes and home screens are open, like sign-in', () => {
  for (const size of ['icon-192', 'icon-512', 'icon-maskable-512', 'apple-touch-icon']) {
    assert.equal(isOpenPath(`/${size}.png`), true, size);
  }
  assert.equal(isOpenPath('/icon-192.png/x'), false);
});

test('[WEB-2] only sign-in, password reset, and proofs of funds are open without a session', () => {
  for (const open of ['/login', '/password-reset', '/password-reset/confirm', '/proof/CODE'])
    assert.equal(isOpenPath(open), true);
  for (const guarded of ['/', '/loginx', '/login/x', '/password-resets', '/messages', '/settings', '/sw.js']) {
    assert.equal(isOpenPath(guarded), false, guarded);
  }
});
