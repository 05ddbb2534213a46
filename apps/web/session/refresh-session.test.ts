import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RefreshReply, refreshSession, refreshTime } from './refresh-session.ts';
import type { SessionToken } from './session-shapes.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const MINUTE = 60_000;

function session(part: Partial<SessionToken> = {}): SessionToken {
  return {
    sub: '1',
    name: 'Demo Parent',
    accessToken: 'old',
    refreshToken: 'refresh',
    accessTokenExpires: NOW - 1,
    refreshAt: NOW - 1,
    userType: 'ip',
    setup_status: { is_fully_setup: true, missing_fields: [] },
    sid: 'sid',
    ...part,
  };
}

function answering(reply: RefreshReply, inFlight = new Map<string, Promise<RefreshReply>>()) {
  const calls: string[] = [];
  return {
    calls,
    options: {
      now: NOW,
      inFlight,
      refresh: async (token: SessionToken) => {
        calls.push(token.refreshToken);
        return reply;
      },
    },
  };
}

const renewed: RefreshReply = {
  kind: 'refreshed',
  token: { accessToken: 'new', accessTokenExpires: NOW + 30 * MINUTE },
};

test('[WEB-6] a token is not refreshed before its time', async () => {
  const { calls, options } = answering(renewed);
  const result = await refreshSession(session({ refreshAt: NOW + 1 }), options);
  assert.deepEqual([result.state, result.changed, calls.length], ['fresh', false, 0]);
});

test('[WEB-6] an expired access token is refreshed with the refresh token', async () => {
  const { options } = answering(renewed);
  const { token, state, changed } = await refreshSession(session(), options);
  assert.deepEqual([state, changed, token.accessToken], ['fresh', true, 'new']);
  assert.equal(token.accessTokenExpires, NOW + 30 * MINUTE);
  assert.equal(token.refreshAt, NOW + 30 * MINUTE - 30_000);
  assert.equal(token.sid, 'sid');
});

test('[WEB-6] sixteen requests at once make one refresh', async () => {
  const { calls, options } = answering(renewed);
  const results = await Promise.all(Array.from({ length: 16 }, () => refreshSession(session(), options)));
  assert.equal(calls.length, 1);
  assert.ok(results.every(({ token }) => token.accessToken === 'new'));
});

test('[WEB-6] two people never receive each other’s refresh', async () => {
  const { calls, options } = answering(renewed);
  await Promise.all([refreshSession(session(), options), refreshSession(session({ refreshToken: 'another' }), options)]);
  assert.deepEqual(calls, ['refresh', 'another']);
});

test('[WEB-7] a rejected refresh sets tokenError and is not repeated', async () => {
  const { calls, options } = answering({ kind: 'refused' });
  const ended = await refreshSession(session(), options);
  assert.deepEqual([ended.state, ended.changed, ended.token.tokenError], ['ended', true, 'RefreshFailed']);
  const again = await refreshSession(ended.token, options);
  assert.deepEqual([again.state, again.changed, calls.length], ['ended', false, 1]);
});

test('[WEB-6] an outage does not end the session: the next request tries again', async () => {
  const { calls, options } = answering({ kind: 'unavailable' });
  const first = await refreshSession(session(), options);
  assert.deepEqual([first.state, first.changed, first.token.tokenError], ['stale', false, undefined]);
  await refreshSession(session(), options);
  assert.equal(calls.length, 2);
});

test('[WEB-6] during an outage a token that has not expired yet is still used', async () => {
  const { options } = answering({ kind: 'unavailable' });
  const result = await refreshSession(session({ accessTokenExpires: NOW + 1000 }), options);
  assert.equal(result.state, 'fresh');
});

test('[WEB-6] a refresh that throws is an outage', async () => {
  const inFlight = new Map<string, Promise<RefreshReply>>();
  const refresh = () => Promise.reject(new Error('socket'));
  assert.equal((await refreshSession(session(), { now: NOW, inFlight, refresh })).state, 'stale');
});

test('[WEB-6] a token is refreshed half a minute early, or a fifth of a short life', () => {
  assert.equal(refreshTime(NOW, NOW + 30 * MINUTE), NOW + 30 * MINUTE - 30_000);
  assert.equal(refreshTime(NOW, NOW + 5000), NOW + 4000);
  assert.equal(refreshTime(NOW, NOW - 5000), NOW - 5000);
});

test('[WEB-6] a token is refreshed from exactly its time on, and used during an outage until exactly its end', async () => {
  for (const offset of [-1000, -1, 0, 1, 1000]) {
    const { calls, options } = answering(renewed);
    await refreshSession(session({ refreshAt: NOW - offset }), options);
    assert.equal(calls.length, offset >= 0 ? 1 : 0, `${offset} ms after the time to renew`);
    const outage = answering({ kind: 'unavailable' });
    const { state } = await refreshSession(session({ accessTokenExpires: NOW - offset }), outage.options);
    assert.equal(state, offset >= 0 ? 'stale' : 'fresh', `${offset} ms after the end`);
  }
});

test('[WEB-6] an answer is shared for ten seconds, or half of what its token has left', async (t) => {
  const expected: [reply: RefreshReply, sharedMs: number][] = [
    [renewed, 10_000],
    [{ kind: 'refused' }, 10_000],
    [{ kind: 'refreshed', token: { accessToken: 'new', accessTokenExpires: NOW + 8000 } }, 4000],
  ];
  for (const [reply, sharedMs] of expected) {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW });
    const { calls, options } = answering(reply);
    await refreshSession(session(), options);
    await new Promise(setImmediate);
    t.mock.timers.tick(sharedMs - 1);
    await refreshSession(session(), options);
    assert.equal(calls.length, 1, 'one millisecond before');
    t.mock.timers.tick(1);
    await refreshSession(session(), options);
    assert.equal(calls.length, 2, 'at the end');
    t.mock.timers.reset();
  }
});
