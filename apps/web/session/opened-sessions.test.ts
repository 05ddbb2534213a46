import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedSession, rememberOpened } from './opened-sessions.ts';
import type { SessionToken } from './session-shapes.ts';

function session(sid: string): SessionToken {
  return {
    sub: '1',
    name: 'Ada',
    accessToken: 'access',
    refreshToken: 'refresh',
    accessTokenExpires: 0,
    refreshAt: 0,
    userType: 'ip',
    setup_status: { is_fully_setup: true, missing_fields: [] },
    sid,
  };
}

test('[WEB-1] a session is remembered by its whole sealed value, until its cookie expires', () => {
  rememberOpened('sealed', session('one'), 1000);
  assert.equal(openedSession('sealed', 999)?.sid, 'one');
  assert.equal(openedSession('sealedx', 999), null);
  assert.equal(openedSession('sealed', 1000), null);
  assert.equal(openedSession('sealed', 999), null, 'an expired session is removed');
});

test('the thousand sessions that were used last are kept', () => {
  rememberOpened('used', session('used'), 10);
  rememberOpened('unused', session('unused'), 10);
  for (let n = 0; n < 999; n++) {
    rememberOpened(`other ${n}`, session('other'), 10);
    assert.equal(openedSession('used', 1)?.sid, 'used');
  }
  assert.equal(openedSession('unused', 1), null);
});
