import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { postCode, postLogin, postRefresh, postResend, readProfile } from './api-auth.ts';

const visitor = {} as Parameters<typeof postLogin>[1];
/** The last part of the path of each received call. */
const calls: string[] = [];
/** The answers by the last part of the path. */
const answers = new Map<string, { status: number; body: string; headers?: Record<string, string> }>();
/** The number of calls whose connection is closed before the answer. */
let toLose = 0;

const api = createServer(async (request, response) => {
  calls.push(request.url?.split('/').at(-1) ?? '');
  await json(request).catch(() => {});
  if (toLose > 0) {
    toLose -= 1;
    return request.socket.destroy();
  }
  const answer = answers.get(calls.at(-1) ?? '') ?? { status: 401, body: '{"code":"wrong"}' };
  return response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
after(() => {
  api.close();
  api.closeAllConnections();
});
Object.assign(process.env, {
  API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  NEXTAUTH_SECRET: 'secret-of-the-tests',
  NEXTAUTH_URL: 'http://localhost:3000',
});

const login = () => postLogin({ email_address: 'a@demo.test', user_type: 'surrogate', pass_hash: 'x' }, visitor);
const session = { sid: 'sid', refreshToken: 'token' } as Parameters<typeof postRefresh>[0];

/** @returns the outcome, and the calls that reached the API. */
async function lose(count: number, call: () => Promise<{ kind: string }>) {
  await login();
  calls.length = 0;
  toLose = count;
  const { kind } = await call();
  toLose = 0;
  return [kind, ...calls];
}

test('[WEB-6] a sign-in and a refresh are repeated once if the connection ends before the answer', async () => {
  assert.deepEqual(await lose(1, login), ['refused', 'login', 'login']);
  assert.deepEqual(await lose(1, () => postRefresh(session, visitor)), ['refused', 'refresh', 'refresh']);
  assert.deepEqual(await lose(2, login), ['unavailable', 'login', 'login'], 'repeated once only');
});

test('[TWO-FACTOR-4] a code is sent once, because it works once', async () => {
  const code = () => postCode({ tfa_token: 'token', code: '123456' }, visitor);
  assert.deepEqual(await lose(1, code), ['unavailable', 'verify-totp']);
});

const STATUSES = [301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 429, 500, 502, 503, 504, 507];
const TOKENS = { access_token: 'new', refresh_token: 'next', expires_at: '2026-11-20T10:00:00Z' };

test('[WEB-7] only 400, 401, and 403 end a session on refresh; every other status is an outage', async () => {
  for (const status of STATUSES) {
    for (const body of ['{"code":"wrong"}', 'null', '<html>', '']) {
      answers.set('refresh', { status, body });
      const { kind } = await postRefresh(session, visitor);
      assert.equal(kind, [400, 401, 403].includes(status) ? 'refused' : 'unavailable', `${status} with ${body}`);
    }
  }
});

test('[WEB-7] a refresh that answers 200 without usable tokens is an outage', async () => {
  const bodies = ['', '<html>', 'null', '{}', '[]', '"text"', JSON.stringify({ ...TOKENS, expires_at: 'soon' })];
  bodies.push(JSON.stringify({ ...TOKENS, access_token: null }), JSON.stringify({ ...TOKENS, refresh_token: 7 }));
  for (const body of bodies) {
    answers.set('refresh', { status: 200, body });
    assert.deepEqual(await postRefresh(session, visitor), { kind: 'unavailable' }, body);
  }
});

test('[WEB-13] a sign-in or a code that answers 200 without usable tokens is an outage', async () => {
  const challenge = { tfa_required: true, tfa_type: 'otp', tfa_method: 'sms', tfa_token: 't' };
  const bodies = ['', '<html>', 'null', '{}', '[]', '"text"', JSON.stringify({ ...challenge, expires_at: 'soon' })];
  const code = () => postCode({ tfa_token: 'token', code: '123456' }, visitor);
  for (const body of bodies) {
    answers.set('login', { status: 200, body }).set('verify-totp', { status: 200, body });
    assert.deepEqual([await login(), await code()], [{ kind: 'unavailable' }, { kind: 'unavailable' }], body);
  }
  answers.set('login', { status: 200, body: JSON.stringify({ ...challenge, expires_at: TOKENS.expires_at }) });
  answers.set('verify-totp', { status: 200, body: JSON.stringify(TOKENS) });
  assert.deepEqual([(await login()).kind, (await code()).kind], ['ok', 'ok']);
});

test('[WEB-7] after a refresh, only a 401 for the profile ends the session', async () => {
  answers.set('refresh', { status: 200, body: JSON.stringify(TOKENS) });
  for (const status of STATUSES) {
    answers.set('me', { status, body: status < 400 ? '<html>' : '{}' });
    const reply = await postRefresh(session, visitor);
    assert.equal(reply.kind, status === 401 ? 'refused' : 'refreshed', String(status));
    const profile = await readProfile({ accessToken: 'new', sid: 'sid' }, visitor);
    assert.equal(profile, status === 401 ? 'ended' : null, String(status));
  }
});

test('[WEB-13] signing in reports each rejection with its status, code, and wait, and each 5xx as an outage', async () => {
  const steps = {
    login,
    'verify-totp': () => postCode({ tfa_token: 'token', code: '123456' }, visitor),
    'resend-otp': () => postResend({ tfa_token: 'token' }, visitor),
  };
  for (const status of STATUSES) {
    for (const [code, body] of [
      ['wrong', '{"code":"wrong"}'],
      [undefined, 'null'],
      [undefined, '<html>'],
    ]) {
      const refused = { kind: 'refused', status, code, retryAfter: 7 };
      for (const [call, step] of Object.entries(steps)) {
        answers.set(call, { status, body: body ?? '', headers: { 'retry-after': '7', location: '/elsewhere' } });
        const isOutage = status < 400 || status >= 500;
        assert.deepEqual(await step(), isOutage ? { kind: 'unavailable' } : refused, `${call}: ${status} with ${body}`);
      }
    }
  }
});
