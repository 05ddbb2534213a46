import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { hashPassword, issueTokens, type User } from '@case-platform/modules/accounts';
import { CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { startApi, TEST_TOKEN_KEYS } from '../../support/platform.ts';

let now = () => new Date();
const api = await startApi({ now: () => now() });
const { anonymous } = api;
/** Stops the clock of the API until the end of a test, because tests check the life of a token to the second. */
const stopClock = (t: TestContext): Date => {
  const at = new Date();
  now = () => at;
  t.after(() => {
    now = () => new Date();
  });
  return at;
};
const login = (name: CastName, overrides: object = {}) =>
  anonymous.post('/api/user/auth/login', {
    ...CAST[name],
    pass_hash: passwordOf(name),
    password: undefined,
    ...overrides,
  });

describe('login', () => {
  test('[SIGN-IN-1] valid credentials without two-factor return tokens', async (t) => {
    const at = stopClock(t);
    const { status, body } = await login('parent');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_at', 'refresh_token', 'token_type']);
    const seconds = Math.ceil((Date.parse(body.expires_at) - at.getTime()) / 1000);
    assert.equal(seconds, 1800, '[Limits] access token lifetime: 30 minutes by default');
    const payload = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    assert.deepEqual([payload.email_address, payload.user_type], ['parent@demo.test', 'intended_parent']);
  });

  test('[TWO-FACTOR-1] an account with two-factor gets tfa_required and no tokens', async () => {
    for (const [name, type, method] of [
      ['totp', 'totp', 'app'],
      ['mailotp', 'otp', 'email'],
      ['smsotp', 'otp', 'sms'],
    ] as const) {
      const { status, body } = await login(name);
      assert.equal(status, 200);
      assert.deepEqual([body.tfa_required, body.tfa_type, body.tfa_method], [true, type, method]);
      assert.equal(body.access_token, undefined);
      const opened = await anonymous.call('GET', '/api/user/me', {
        headers: { authorization: `Bearer ${body.tfa_token}` },
      });
      assert.equal(opened.status, 401);
    }
  });

  test('[LAYER-2] the pair identifies the record: the same email opens two accounts with two passwords', async () => {
    for (const name of ['bothParent', 'bothSurrogate'] as const) {
      const { body } = await login(name);
      const me = await anonymous.call('GET', '/api/user/me', {
        headers: { authorization: `Bearer ${body.access_token}` },
      });
      assert.equal(me.body.user_type, CAST[name].user_type);
    }
    assert.equal((await login('bothParent', { user_type: 'surrogate' })).status, 401);
  });

  test('[SIGN-IN-3] a wrong password and an unknown pair get the same 401', async () => {
    const wrong = await login('parent', { pass_hash: 'wrong' });
    const unknown = await login('parent', { email_address: 'nobody@demo.test' });
    assert.equal(wrong.status, 401);
    assert.deepEqual({ ...wrong.body, request_id: '' }, { ...unknown.body, request_id: '' });
  });

  test('[SIGN-IN-2] the stored hash does not work as a password', async () => {
    const [row] = await query<{ password_hash: string }>(
      api.db,
      sql`select password_hash from user_account where email_address = 'parent@demo.test'`,
    );
    assert.ok(row);
    assert.equal((await login('parent', { pass_hash: row.password_hash })).status, 401);
    assert.equal((await login('parent')).status, 200, 'the password is');
  });

  test('[LAYER-4, ERROR-3] invalid fields are a 422: short codes, arrays, missing and endless values', async () => {
    const bodies = [
      {},
      { user_type: 'ip' },
      { user_type: 'nurse' },
      { user_type: ['intended_parent'] },
      { email_address: ['parent@demo.test'] },
      { email_address: { $ne: '' } },
      { pass_hash: 12345 },
      { pass_hash: 'x'.repeat(257) },
      { email_address: `${'x'.repeat(300)}@demo.test` },
    ];
    for (const [at, fields] of bodies.entries()) {
      const answer = at === 0 ? await anonymous.post('/api/user/auth/login', {}) : await login('parent', fields);
      assert.equal(answer.status, 422, JSON.stringify(fields).slice(0, 60));
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.ok(answer.body.errors.length > 0);
    }
  });

  test('[LAYER-4] ip_rep is accepted as an alias of ip_company', async () => {
    assert.equal((await login('rep', { user_type: 'ip_rep' })).status, 200);
  });
});

describe('tokens', () => {
  test('[TOKEN-6] a refresh token returns a new access token and comes back unchanged', async () => {
    const { body } = await login('parent');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => anonymous.post('/api/user/auth/refresh', { refresh_token: body.refresh_token })),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.equal(answer.body.refresh_token, body.refresh_token);
    }
    assert.equal((await anonymous.post('/api/user/auth/refresh', { refresh_token: body.access_token })).status, 401);
  });

  test('[TOKEN-2, TOKEN-4] a missing or invalid token, or a user who does not exist, is a 401', async () => {
    const { body } = await login('surrogate');
    const [head, payload, signature] = body.access_token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const tokens = ['', 'x', body.refresh_token, `${head}.${payload}.`, `${none}.${payload}.`, `${none}.${payload}.${signature}`];
    for (const token of tokens) {
      const answer = await anonymous.call('GET', '/api/user/me', { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 401, token);
    }
    assert.equal((await anonymous.get('/api/user/me')).status, 401);
    const me = (token: string) => anonymous.call('GET', '/api/user/me', { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await me(body.access_token)).status, 200, 'the token itself opens it');
    const [user] = await query<User>(
      api.db,
      sql`select id, email_address, user_type from user_account where email_address = 'surrogate@demo.test'`,
    );
    assert.ok(user);
    for (const other of [{ id: 999_999 }, { email_address: 'unknown@demo.test' }, { user_type: 'ip' as const }]) {
      const { access_token } = await issueTokens(TEST_TOKEN_KEYS, Object.assign({}, user, other), now());
      assert.equal((await me(access_token)).status, 401, JSON.stringify(other));
    }
  });

  test('[TOKEN-5] an access token expires after 30 minutes', async (t) => {
    const at = stopClock(t);
    const user = { ...(await api.as('parent')), ...CAST.parent };
    const [record] = await query<User>(api.db, sql`select * from user_account where id = ${user.userId}`);
    assert.ok(record);
    const issue = async (secondsAgo: number) =>
      (await issueTokens(TEST_TOKEN_KEYS, record, new Date(at.getTime() - secondsAgo * 1000))).access_token;
    const open = async (token: string) =>
      (await anonymous.call('GET', '/api/user/me', { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await open(await issue(1799)), 200);
    assert.equal(await open(await issue(1801)), 401);
  });

  test('[SIGN-IN-8] a deactivated, deleted, or re-created account is a 401 with a token that is still valid', async () => {
    const [made] = await query<User>(
      api.db,
      sql`insert into user_account (email_address, user_type, password_hash)
          values ('gone@demo.test', 'ip', ${await hashPassword('Gone-Passw0rd!')}) returning *`,
    );
    assert.ok(made);
    const { access_token } = await issueTokens(TEST_TOKEN_KEYS, made, now());
    const open = async () =>
      (await anonymous.call('GET', '/api/user/me', { headers: { authorization: `Bearer ${access_token}` } })).status;
    assert.equal(await open(), 200);
    await query(api.db, sql`update user_account set status = 'deactivated' where id = ${made.id}`);
    assert.equal(await open(), 401);
    await query(api.db, sql`delete from user_account where id = ${made.id}`);
    assert.equal(await open(), 401);
    await query(api.db, sql`insert into user_account (email_address, user_type) values ('gone@demo.test', 'ip')`);
    assert.equal(await open(), 401);
  });

  test('[TOKEN-1, TOKEN-8] the token may be in the api_token cookie; a bad Bearer beside it is a 401', async () => {
    const { token } = await api.as('parent');
    const cookie = `api_token=${token}`;
    const call = (method: string, headers: Record<string, string>) =>
      anonymous.call(method, method === 'GET' ? '/api/user/me' : '/api/messages/999/viewed', {
        headers: { cookie, ...headers },
      });
    assert.equal((await call('GET', {})).status, 200);
    assert.equal((await call('GET', { authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await call('GET', { authorization: 'Basic x' })).status, 401);
    assert.equal((await call('POST', {})).status, 404, 'no browser: nothing to defend against');
    assert.equal((await call('POST', { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await call('POST', { origin: 'https://evil.test' })).status, 403);
    assert.equal((await call('POST', { origin: 'http://localhost:3000' })).status, 404);
  });
});

test('[ACCOUNT-9] the profile has today’s name of a time zone that was stored under an earlier one', async () => {
  const parent = await api.as('parent');
  for (const [stored, shown] of [
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['America/Denver', 'America/Denver'],
  ] as const) {
    await api.pool.query('update user_account set timezone = $2 where id = $1', [parent.userId, stored]);
    assert.equal((await parent.get('/api/user/me')).body.timezone, shown);
  }
});

test('[ACCOUNT-1] the profile says what is missing from it', async () => {
  const { body } = await (await api.as('parent')).get('/api/user/me');
  assert.equal(body.email_address, 'parent@demo.test');
  assert.deepEqual(body.setup_status, { is_fully_setup: false, missing_fields: ['phone'] });
  assert.ok(!('password_hash' in body));
  const manager = await api.as('manager');
  await api.pool.query(`update user_account set first_name = '', phone = '+12025550147' where id = $1`, [manager.userId]);
  const { setup_status } = (await manager.get('/api/user/me')).body;
  assert.deepEqual(setup_status, { is_fully_setup: false, missing_fields: ['first_name'] });
});

test('[ERROR-1, ERROR-5] failures are problem details with a message and the id of the request, and reveal nothing internal', async () => {
  const answer = await anonymous.get('/api/nothing-here');
  assert.equal(answer.status, 404);
  assert.deepEqual(
    [answer.body.status, answer.body.message, answer.body.code, answer.body.title],
    [404, answer.body.detail, 'not_found', 'Not Found'],
  );
  assert.equal(answer.body.request_id, answer.headers.get('x-request-id'));
  const broken = await anonymous.call('POST', '/api/user/auth/login', {
    body: '{"email_address": ',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(broken.status, 422);
  const fields = ['type', 'title', 'status', 'detail', 'message', 'code', 'request_id', 'errors'];
  for (const { body } of [answer, broken]) {
    assert.deepEqual(
      Object.keys(body).filter((field) => !fields.includes(field)),
      [],
    );
    assert.doesNotMatch(JSON.stringify(body), /\bat \w+ \(|\.ts\b|node_modules|select |SyntaxError|JSON at position/);
  }
});
