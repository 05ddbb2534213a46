import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RETENTION } from '@case-platform/lib/config/read-retention';
import { query, sql } from '@case-platform/lib/sql';
import { issueTokens, type User } from '@case-platform/modules/accounts';
import { removeOldRows } from '../../../apps/worker/remove-old-rows.ts';
import { startApi, TEST_TOKEN_KEYS } from '../../support/platform.ts';

const api = await startApi();
/** Another process, which never checks on its own during the test. Its streams end only because of the announcement. */
const other = await startApi({ database: api, checkEveryMs: 3_600_000 });
const parent = await api.as('parent');
const surrogate = await api.as('surrogate');
const named = (sid: string) => ({ headers: { 'x-web-session': sid } });
const me = async (sid: string) => (await parent.call('GET', '/api/user/me', named(sid))).status;
const end = async (sid: string) => (await parent.call('DELETE', '/api/user/me/web-session', named(sid))).status;

test('[WEB-11] a web session that was ended is rejected; its token and other sessions still work', async () => {
  const [ended, other] = [crypto.randomUUID(), crypto.randomUUID()];
  assert.deepEqual([await me(ended), await me(other)], [200, 200]);
  assert.equal(await end(ended), 204);
  assert.deepEqual([await me(ended), await me(other)], [401, 200]);
  assert.equal((await parent.get('/api/user/me')).status, 200);
  assert.equal((await surrogate.get('/api/user/me')).status, 200);
  assert.equal(await end(ended), 401);
});

test('[WEB-11] a web session stays ended for longer than any token lives, 32 days, and is then removed', async () => {
  const sid = crypto.randomUUID();
  assert.equal(await end(sid), 204);
  const { db } = api.inRole?.('worker') ?? api;
  const forgetAfter = (hours: number) => removeOldRows(db, DEFAULT_RETENTION, new Date(Date.now() + hours * 3_600_000));
  await forgetAfter(32 * 24 - 1);
  assert.equal(await me(sid), 401);
  await forgetAfter(32 * 24 + 1);
  const { rows } = await api.pool.query('select from ended_web_session');
  assert.equal(rows.length, 0);
});

test('[WEB-11] an ended web session is not refreshed, and its refresh token still works without it', async () => {
  const [user] = await query<User>(api.db, sql`select * from user_account where id = ${parent.userId}`);
  assert.ok(user);
  const { refresh_token } = await issueTokens(TEST_TOKEN_KEYS, user, new Date());
  const sid = crypto.randomUUID();
  const refresh = (headers = {}) => api.anonymous.post('/api/user/auth/refresh', { refresh_token }, headers);
  assert.equal((await refresh({ 'x-web-session': sid })).status, 200);
  assert.equal(await end(sid), 204);
  assert.equal((await refresh({ 'x-web-session': sid })).status, 401);
  assert.equal((await refresh()).status, 200);
});

/** Reads a stream until it has delivered these words. */
async function untilReceived(reader: ReadableStreamDefaultReader<Uint8Array>, words: string): Promise<void> {
  for (let text = ''; !text.includes(words); ) {
    const { done, value } = await reader.read();
    assert.ok(!done, `the stream ended before: ${words}`);
    text += Buffer.from(value).toString();
  }
}

test('[WEB-11, LIVE-3] the live streams of a web session end with it, and those of others continue', async () => {
  const open = async (sid: string) => {
    const headers = { authorization: `Bearer ${parent.token}`, 'x-web-session': sid };
    const signal = AbortSignal.timeout(20_000);
    const response = await fetch(`${other.baseUrl}/api/messages/events`, { headers, signal });
    assert.equal(response.status, 200);
    const reader = response.body?.getReader();
    assert.ok(reader);
    await untilReceived(reader, 'event: unread');
    return reader;
  };
  const [ended, active] = [crypto.randomUUID(), crypto.randomUUID()];
  const [ending, going] = [await open(ended), await open(active)];
  assert.equal(await end(ended), 204);
  while (!(await ending.read()).done);
  await surrogate.form('/api/messages', {
    message: 'Still there?',
    case_id: '1',
    recipients: JSON.stringify([{ user_type: 'intended_parent', user_id: parent.userId }]),
  });
  await untilReceived(going, 'Still there?');
  await going.cancel();
});

test('[ERROR-3] ending without naming a session is a 422', async () => {
  assert.equal((await parent.call('DELETE', '/api/user/me/web-session')).status, 422);
  assert.equal(await end('x'), 422);
  assert.equal(await end('x'.repeat(200)), 422);
});
