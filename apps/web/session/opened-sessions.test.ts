import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheOpenedSession, findOpenedSession } from './opened-sessions.ts';
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
  cacheOpenedSession('sealed', session('one'), 1000);
  assert.equal(findOpenedSession('sealed', 999)?.sid, 'one');
  assert.equal(findOpenedSession('sealedx', 999), null);
  assert.equal(findOpenedSession('sealed', 1000), null);
  assert.equal(findOpenedSession('sealed', 999), null, 'an expired session is removed');
});

test('the thousand sessions that were used last are kept', () => {
  cacheOpenedSession('used', session('used'), 10);
  cacheOpenedSession('unused', session('unused'), 10);
  for (let n = 0; n < 999; n++) {
    cacheOpenedSession(`other ${n}`, session('other'), 10);
    assert.equal(findOpenedSession('used', 1)?.sid, 'used');
  }
  assert.equal(findOpenedSession('unused', 1), null);
});
