import assert from 'node:assert/strict';
import { createHmac, createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { createHttpServer } from '@case-platform/lib/http-server';
import { query, sql } from '@case-platform/lib/sql';
import { createTokenKeys, issueTokens, type User } from '@case-platform/modules/accounts';
import { createGuards } from '../../../apps/api/guards/guards.ts';
import { problemSender } from '../../../apps/api/problem.ts';
import { verifyToken } from '../../../modules/accounts/sign-in/tokens.ts';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { quietLog, startApi, TEST_TOKEN_KEYS } from '../../support/platform.ts';

const api = await startApi();
const { anonymous } = api;
const parent = await api.as('parent');
const me = (token: string) => anonymous.call('GET', '/api/user/me', { headers: { authorization: `Bearer ${token}` } });
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const [head = '', payload = '', signature = ''] = (parent.token ?? '').split('.');
const [user] = await query<User>(api.db, sql`select * from user_account where id = ${parent.userId}`);
assert.ok(user);

const routes = (await readFile(new URL('../../../apps/api/routes.txt', import.meta.url), 'utf8'))
  .split('\n')
  .map((line) => line.split(/\s+/))
  .filter(([method = '']) => ['POST', 'PATCH', 'DELETE', 'PUT'].includes(method));

describe('tokens that were not made by us', () => {
  const hs = (header: object, body: object, secret: string, hash = 'sha256') => {
    const text = `${encode(header)}.${encode(body)}`;
    return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaText = `${encode({ ...read(head), alg: 'RS256' })}.${payload}`;
  const rows: [string, string][] = [
    ['algorithm none', `${encode({ ...read(head), alg: 'none' })}.${payload}.`],
    ['algorithm None in another case', `${encode({ ...read(head), alg: 'nOnE' })}.${payload}.`],
    ['the signature left out', `${head}.${payload}.`],
    ['another signature', `${head}.${payload}.${signature.slice(0, -4)}AAAA`],
    ['another payload', `${head}.${encode({ ...read(payload), sub: '1', user_type: 'admin' })}.${signature}`],
    [
      'HS512 instead of HS256',
      hs({ ...read(head), alg: 'HS512' }, read(payload), 'token-secret-of-the-tests-32-bytes-long!!', 'sha512'),
    ],
    ['RS256', `${rsaText}.${sign('sha256', Buffer.from(rsaText), privateKey).toString('base64url')}`],
    ['an empty secret', hs(read(head), read(payload), '')],
    ['no kid', hs({ alg: 'HS256' }, read(payload), 'token-secret-of-the-tests-32-bytes-long!!')],
    ['a kid that is a path', hs({ ...read(head), kid: '../../dev/null' }, read(payload), '')],
    ['an embedded key', hs({ ...read(head), jwk: { kty: 'oct', k: 'AAAA' } }, read(payload), 'AAAA')],
    ['no expiry', hs(read(head), { ...read(payload), exp: undefined }, 'token-secret-of-the-tests-32-bytes-long!!')],
    ['another issuer', hs(read(head), { ...read(payload), iss: 'x' }, 'token-secret-of-the-tests-32-bytes-long!!')],
    ['another audience', hs(read(head), { ...read(payload), aud: 'x' }, 'token-secret-of-the-tests-32-bytes-long!!')],
    ['no purpose', hs(read(head), { ...read(payload), typ: undefined }, 'token-secret-of-the-tests-32-bytes-long!!')],
    ['endless', 'x'.repeat(10_000)],
  ];
  for (const [what, token] of rows) {
    test(`[TOKEN-3] ${what}: 401`, async () => assert.equal((await me(token)).status, 401));
  }

  test('[TOKEN-3] HS512 instead of HS256, with a key that could check it: 401', async () => {
    const secret = 'token-secret-of-the-tests-32-bytes-long!!';
    const { kid } = TEST_TOKEN_KEYS.current;
    const key = createSecretKey(Buffer.from(secret)).toCryptoKey({ name: 'HMAC', hash: 'SHA-512' }, false, ['verify']);
    const keys = { ...TEST_TOKEN_KEYS, byKid: new Map([[kid, key]]) };
    const token = hs({ ...read(head), alg: 'HS512' }, read(payload), secret, 'sha512');
    await assert.rejects(verifyToken(keys, 'access', token, new Date()), { name: 'UnauthenticatedError' });
  });

  test('[LAYER-2, SIGN-IN-8] the other pair with the same email, the same id under another pair, another record under the same pair: 401', async () => {
    const other = await api.as('bothSurrogate');
    for (const claims of [
      { ...user, user_type: 'surrogate' as const },
      { ...user, id: other.userId },
      { ...user, email_address: 'surrogate@demo.test' },
    ]) {
      assert.equal((await me((await issueTokens(TEST_TOKEN_KEYS, claims, new Date())).access_token)).status, 401);
    }
  });

  test('[TOKEN-3] a token of the previous key still works, and one of the key before that does not', async () => {
    const [now, before, long] = ['now', 'before', 'long ago'].map((word) => word.padEnd(32, '.'));
    const ttl = { accessTokenTtl: 60, refreshTokenTtl: 60 };
    const keys = createTokenKeys({ secret: now ?? '', previousSecret: before, ...ttl });
    const at = new Date();
    const made = async (secret = '') => (await issueTokens(createTokenKeys({ secret, ...ttl }), user, at)).access_token;
    assert.equal((await verifyToken(keys, 'access', await made(now), at)).user_id, user.id);
    assert.equal((await verifyToken(keys, 'access', await made(before), at)).user_id, user.id);
    await assert.rejects(verifyToken(keys, 'access', await made(long), at), { status: 401 });
  });
});

describe('input that people never type', () => {
  const ODD = [null, true, 0, -1, 1.5, 1e308, '', ' ', '\u0000', '\ud800', '{}', [], [[]], {}, { $gt: '' }, 'x'.repeat(70_000)];
  for (const [method = '', url = ''] of routes) {
    test(`[ERROR-5] ${method} ${url} answers any JSON with a 4xx, never a fault`, async () => {
      await api.pool.query('delete from throttle');
      const fields = ['email_address', 'user_type', 'pass_hash', 'code', 'tfa_token', 'token', 'method', 'id', 'type', 'phone'];
      for (const odd of ODD) {
        for (const body of [odd, Object.fromEntries(fields.map((field) => [field, odd]))]) {
          const answer = await parent.call(method, url.replaceAll(/:\w+/g, '1'), {
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json', 'x-api-key': 'demo-agency-key-1-0123456789abcdef' },
          });
          assert.ok(answer.status < 500, `${answer.status} for ${JSON.stringify(body).slice(0, 60)}`);
        }
      }
    });
  }

  test('[EDGE-2, ERROR-3] a body of 2 MB is a 413, headers of 20 KB and an odd method are rejected', async () => {
    const large = await parent.post('/api/user/auth/login', { email_address: 'x'.repeat(2 * 1024 * 1024) });
    assert.equal(large.status, 413);
    const headers = await parent.call('GET', '/api/user/me', { headers: { 'x-long': 'x'.repeat(20_000) } });
    assert.equal(headers.status, 431);
    assert.ok([404, 405].includes((await parent.call('PROPFIND', '/api/user/me')).status));
  });
});

describe('[ERROR-2] objects of other people', () => {
  test('foreign chains, cases and recipients are a 404, for reading and for writing', async () => {
    const stranger = await api.as('bothParent');
    const chain = (await parent.form('/api/messages', { message: 'Private', case_id: String(CASE_1) })).body.chain.id;
    const before = (await api.pool.query('select count(*)::int as n from message')).rows[0].n;
    const statuses = [
      (await stranger.get(`/api/messages/${chain}`)).status,
      (await stranger.form(`/api/messages/${chain}`, { message: 'x' })).status,
      (await stranger.post(`/api/messages/${chain}/viewed`, {})).status,
      (await stranger.get(`/api/messages/recipients?case_id=${CASE_1}`)).status,
      (await stranger.form('/api/messages', { message: 'x', case_id: String(CASE_1) })).status,
      (await parent.form('/api/messages', { message: 'x', case_id: String(CASE_2) })).status,
    ];
    assert.deepEqual(new Set(statuses), new Set([404]));
    assert.equal((await api.pool.query('select count(*)::int as n from message')).rows[0].n, before);
    assert.deepEqual((await stranger.get(`/api/messages?case_id=${CASE_1}`)).body.data, []);
  });

  test('[GUARD-10] a user type that a route does not allow is a 403 with a detail text', async () => {
    const guards = createGuards({
      db: api.db,
      tokenKeys: TEST_TOKEN_KEYS,
      masterApiKey: 'x',
      callLimits: { count: async (name) => ({ name, quota: 1, windowSeconds: 60, remaining: 1, resetSeconds: 60 }) },
      origins: [],
      now: () => new Date(),
    });
    const app = await createHttpServer({ log: quietLog, sendError: problemSender('http://api.test') });
    const guard = guards.user({ user_types: ['admin'] });
    app.get('/staff', { config: { guard } }, (request) => ({ id: guard.actor(request).id }));
    const asPerson = async (name: 'parent' | 'root') => {
      const { token } = await api.as(name);
      return app.inject({ url: '/staff', headers: { authorization: `Bearer ${token}` } });
    };
    const refused = await asPerson('parent');
    assert.equal(refused.statusCode, 403);
    assert.ok(refused.json().detail.length > 0);
    assert.equal((await asPerson('root')).statusCode, 200);
  });
});

test('[EDGE-4] in production every answer keeps browsers to https for a year, and sets no cookie', async () => {
  const { anonymous: visitor } = await startApi({ production: true });
  for (const [method, path] of [
    ['GET', '/health/live'],
    ['GET', '/api/user/me'],
    ['GET', '/nowhere'],
    ['POST', '/api/user/auth/login'],
  ] as const) {
    const { headers } = await visitor.call(method, path);
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains', path);
    assert.deepEqual(headers.getSetCookie(), []);
  }
  const plain = await anonymous.call('GET', '/health/live');
  assert.equal(plain.headers.get('strict-transport-security'), null);
});
