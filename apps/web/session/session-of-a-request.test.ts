import '../test-page/load-tsx.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSink } from '../../../test/support/sink.ts';
import type { SessionToken } from './session-shapes.ts';

const api = await startSink({ status: 401, body: {} });
Object.assign(process.env, {
  API_URL: api.origin,
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
/** The cookies and headers of the request that is being answered, as Next.js has them. */
const cookies = new Map<string, string>();
const jar = {
  get: (name: string) => (cookies.has(name) ? { value: cookies.get(name) ?? '' } : undefined),
  set: (name: string, value: string, { maxAge }: { maxAge: number }) =>
    void (maxAge === 0 ? cookies.delete(name) : cookies.set(name, value)),
};
Object.assign(globalThis, { testRequest: { cookies: jar, headers: new Headers({ 'x-path': '/cases/3?a=b' }) } });

const { NextRequest } = await import('next/server.js');
const { config, proxy } = await import('../proxy.ts');
const { authOptions } = await import('./auth-options.ts');
const { requireMe, requireSession } = await import('./session.ts');
const { apiServer } = await import('./api-server.ts');
const { readSessionCookie, sealSession } = await import('./session-cookie.ts');
const { markSignedOut } = await import('./sign-out-marks.ts');
const { storeChallenge, readChallenge } = await import('./two-factor-cookie.ts');
const code = await import('../app/api/auth/code/route.ts');
const auth = await import('../app/api/auth/[...nextauth]/route.ts');

const COOKIE = 'next-auth.session-token';
const HOUR = 3_600_000;
let count = 0;
/** A session whose token is due for renewal, or is not. */
function session({
  isDue = false,
  isOver = false,
  ...more
}: { isDue?: boolean; isOver?: boolean } & Partial<SessionToken> = {}): SessionToken {
  count += 1;
  return {
    sub: '5',
    name: 'Ada',
    accessToken: `access-${count}`,
    refreshToken: `refresh-${count}`,
    accessTokenExpires: Date.now() + (isOver ? -HOUR : HOUR),
    refreshAt: Date.now() + (isDue ? -1 : HOUR),
    userType: 'ip',
    setup_status: { is_fully_setup: true, missing_fields: [] },
    sid: `sid-${count}`,
    ...more,
  };
}
const tokens = () => ({
  access_token: 'new',
  refresh_token: `next-${count}`,
  expires_at: new Date(Date.now() + HOUR).toISOString(),
});
const PROFILE = {
  id: 5,
  first_name: 'Ada',
  last_name: 'Byron',
  email_address: 'a@x.test',
  user_type: 'intended_parent',
  setup_status: { is_fully_setup: false, missing_fields: ['phone'] },
};
const REFRESH = '/api/user/auth/refresh';
const ME = '/api/user/me';
const calls = () => api.received.map(({ method, path }) => `${method} ${path}`);

test.beforeEach(() => {
  cookies.clear();
  api.received.length = 0;
  api.answers.clear();
});

async function request(path: string, token?: SessionToken) {
  const headers = new Headers({ host: 'localhost:3000' });
  if (token !== undefined) headers.set('cookie', `${COOKIE}=${await sealSession(token)}`);
  const response = await proxy(new NextRequest(`http://localhost:3000${path}`, { headers }));
  const sealed = response.cookies.get(COOKIE)?.value;
  return {
    to: response.headers.get('location')?.replace('http://localhost:3000', '') ?? 'page',
    status: response.status,
    session: sealed === undefined ? null : await readSessionCookie({ get: () => ({ value: sealed }) }),
    headers: response.headers,
  };
}

test('[WEB-2] every page except the open ones leads people without a session to the sign-in page and back', async () => {
  const ended = session({ tokenError: 'RefreshFailed' });
  for (const [path, to] of [
    ['/', '/login'],
    ['/cases/3?a=b', '/login?callbackUrl=%2Fcases%2F3%3Fa%3Db'],
    ['/login', 'page'],
    ['/password-reset/confirm?x', 'page'],
    ['/proof/abc', 'page'],
    ['/icon-192.png', 'page'],
  ] as const) {
    for (const token of [undefined, ended]) {
      const answer = await request(path, token);
      assert.deepEqual([answer.to, answer.session, answer.status], [to, null, to === 'page' ? 200 : 307], path);
    }
  }
});

test('[WEB-2] someone who is signed in gets every page, and the sign-in page only after a session has ended', async () => {
  for (const [path, to] of [
    ['/cases/3', 'page'],
    ['/proof/abc', 'page'],
    ['/login', '/'],
    ['/login?callbackUrl=%2Fcases%2F3', '/cases/3'],
    ['/login?callbackUrl=%2F%2Fevil.test', '/'],
    ['/login?session=ended&callbackUrl=%2Fcases', 'page'],
  ] as const)
    assert.equal((await request(path, session())).to, to, path);
  assert.deepEqual(calls(), []);
});

test('[EDGE-4] a page gets its policy with a nonce of its own, its path, and the session that was just renewed', async () => {
  api.answers.set(REFRESH, { status: 200, body: tokens() });
  api.answers.set(ME, { status: 200, body: PROFILE });
  const due = session({ isDue: true });
  const [first, second] = [await request('/cases/3?a=b', due), await request('/cases/3?a=b', session())];
  const forwarded = (one: typeof first, name: string) => one.headers.get(`x-middleware-request-${name}`);
  assert.equal(forwarded(first, 'x-path'), '/cases/3?a=b');
  assert.ok(first.headers.get('content-security-policy')?.includes(`'nonce-${forwarded(first, 'x-nonce')}'`));
  assert.equal(forwarded(first, 'content-security-policy'), first.headers.get('content-security-policy'));
  assert.notEqual(forwarded(first, 'x-nonce'), forwarded(second, 'x-nonce'));
  assert.deepEqual([first.session?.accessToken, first.session?.name, first.session?.sid], ['new', 'Ada Byron', due.sid]);
  const passed = /next-auth\.session-token=([^;]+)/.exec(forwarded(first, 'cookie') ?? '')?.[1] ?? '';
  assert.equal(
    (await readSessionCookie({ get: () => ({ value: passed }) }))?.accessToken,
    'new',
    'the page itself uses the renewed session',
  );
  assert.match(first.headers.get('set-cookie') ?? '', /Max-Age=604800.*HttpOnly.*SameSite=lax/i);
  assert.equal(second.headers.get('set-cookie'), null);
});

test('[WEB-6, WEB-7] only a rejected renewal ends a session; an outage shows the page without a new cookie', async () => {
  for (const [status, to, error] of [
    [401, '/login?callbackUrl=%2Fcases', 'RefreshFailed'],
    [403, '/login?callbackUrl=%2Fcases', 'RefreshFailed'],
    [400, '/login?callbackUrl=%2Fcases', 'RefreshFailed'],
    [429, 'page', undefined],
    [500, 'page', undefined],
    [404, 'page', undefined],
  ] as const) {
    api.answers.set(REFRESH, { status, body: {} });
    const answer = await request('/cases', session({ isDue: true }));
    assert.deepEqual([answer.to, answer.session?.tokenError], [to, error], String(status));
  }
});

test('[WEB-11] someone who signs out while their session is renewed stays signed out', async () => {
  const due = session({ isDue: true });
  api.answers.set(REFRESH, () => {
    markSignedOut(due.sid, Date.now(), HOUR);
    return { status: 200, body: tokens() };
  });
  api.answers.set(ME, { status: 200, body: PROFILE });
  const answer = await request('/cases', due);
  assert.deepEqual([answer.to, answer.session], ['/login?callbackUrl=%2Fcases', null]);
  assert.equal(
    (await request('/cases', due)).to,
    '/login?callbackUrl=%2Fcases',
    'the cookie that is still there is worth nothing',
  );
});

test('the session is checked for pages and not for files and calls', () => {
  const pattern = new RegExp(`^${config.matcher[0]}$`);
  for (const [path, isChecked] of [
    ['/', true],
    ['/cases', true],
    ['/apiary', true],
    ['/api/home', false],
    ['/_next/static/x.js', false],
    ['/_next/image', false],
    ['/_next/images', true],
    ['/favicon.ico', false],
    ['/favicon.icon', true],
    ['/offline.html', true],
  ] as const)
    assert.equal(pattern.test(path), isChecked, path);
});

/** Returns the address of a redirect, or what the call returned. */
async function landing<T>(call: () => Promise<T>): Promise<T | string> {
  try {
    return await call();
  } catch (error) {
    const { digest } = error as { digest?: string };
    if (digest?.startsWith('NEXT_REDIRECT') !== true) throw error;
    return digest.split(';')[2] ?? '';
  }
}
const signIn = async (token: SessionToken) => void cookies.set(COOKIE, (await sealSession(token)) ?? '');
const LOGIN = '/login?callbackUrl=%2Fcases%2F3%3Fa%3Db';

test('[WEB-2] a page itself requires a session that has not ended, and names its reader without tokens', async () => {
  assert.equal(await landing(requireSession), LOGIN);
  await signIn(session({ tokenError: 'RefreshFailed' }));
  assert.equal(await landing(requireMe), LOGIN);
  await signIn(session());
  assert.deepEqual(await landing(requireMe), { id: 5, name: 'Ada', userType: 'ip' });
});

test('[WEB-3, WEB-8] a page calls the API with the session, leaves it only for a 401, and calls nothing with a token that is over', async () => {
  const token = session();
  await signIn(token);
  api.answers.set('/api/home', ({ headers }) => ({
    status: 200,
    body: { by: headers.authorization, sid: headers['x-web-session'], accept: headers.accept },
  }));
  assert.deepEqual(await landing(() => apiServer('/api/home', { headers: { authorization: 'other' } })), {
    ok: true,
    status: 200,
    data: { by: `Bearer ${token.accessToken}`, sid: token.sid, accept: 'application/json' },
  });
  api.answers.set('/api/home', { status: 403, body: { message: 'Words.' } });
  assert.deepEqual(await landing(() => apiServer('/api/home')), { ok: false, status: 403, message: 'Words.' });
  api.answers.set('/api/home', 401);
  assert.equal(await landing(() => apiServer('/api/home')), `/login?session=ended&${LOGIN.split('?')[1]}`);
  await signIn(session({ isOver: true }));
  api.received.length = 0;
  const answer = await landing(() => apiServer('/api/home'));
  assert.deepEqual([answer, calls()], [{ ok: false, status: 503, message: 'Our servers aren’t responding right now.' }, []]);
});

type Authorize = (fields: object) => Promise<{ id: string; session: SessionToken }>;
const authorize = (fields: object) => (authOptions().providers[0] as unknown as { authorize: Authorize }).authorize(fields);
const problemOf = (fields: object) =>
  authorize(fields).then(
    () => null,
    (error: Error) => error.message,
  );
const CREDENTIALS = { email_address: ' a@x.test ', user_type: 'intended_parent', pass_hash: ' secret ' };
const challenge = () => ({
  tfa_required: true,
  tfa_type: 'otp',
  tfa_method: 'sms',
  tfa_token: 'tfa',
  expires_at: new Date(Date.now() + 60_000).toISOString(),
});
const bodies = () =>
  api.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body.toString()) as object);

test('[WEB-1, SIGN-IN-1] a password signs in with the person’s profile, and ends an earlier person’s session', async () => {
  const before = session();
  await signIn(before);
  api.answers.set('/api/user/auth/login', { status: 200, body: tokens() });
  api.answers.set(ME, { status: 200, body: PROFILE });
  api.answers.set('/api/user/me/web-session', 204);
  const { id, session: signedIn } = await authorize(CREDENTIALS);
  assert.deepEqual(
    [id, signedIn.sub, signedIn.name, signedIn.userType, signedIn.tokenError],
    ['5', '5', 'Ada Byron', 'ip', undefined],
  );
  assert.deepEqual(
    bodies(),
    [{ email_address: 'a@x.test', user_type: 'intended_parent', pass_hash: ' secret ' }],
    'spaces belong to a password',
  );
  assert.equal(calls().at(-1), 'DELETE /api/user/me/web-session');
  assert.equal(await readSessionCookie(jar), null, 'requests that still run for the previous person restore nothing');
});

test('[WEB-6] the name in a session is the person’s, or their address while they have none', async () => {
  for (const [first_name, last_name, name] of [
    ['Ada', 'Byron', 'Ada Byron'],
    ['Ada', '', 'Ada'],
    ['', 'Byron', 'Byron'],
    ['', '', 'a@x.test'],
    ['A'.repeat(150), 'B'.repeat(150), `${'A'.repeat(150)} ${'B'.repeat(49)}`],
  ] as const) {
    api.answers.set(ME, { status: 200, body: { ...PROFILE, first_name, last_name } });
    assert.equal((await jwt(session())).name, name);
  }
});

test('[SIGN-IN-1] without a readable profile or a role of this application there is no session', async () => {
  api.answers.set('/api/user/auth/login', { status: 200, body: tokens() });
  for (const answer of [500, 401, { status: 200, body: { ...PROFILE, user_type: 'stranger' } }] as const) {
    api.answers.set(ME, answer);
    assert.equal(await problemOf(CREDENTIALS), 'unavailable');
  }
  for (const [status, body, problem] of [
    [401, {}, 'wrong'],
    [401, { code: 'unfamiliar_address' }, 'unfamiliar'],
    [422, {}, 'invalid'],
    [429, {}, 'throttled:60'],
    [500, {}, 'unavailable'],
    [200, {}, 'unavailable'],
  ] as const) {
    api.answers.set('/api/user/auth/login', { status, body });
    assert.equal(await problemOf(CREDENTIALS), problem);
  }
});

test('[TWO-FACTOR-4, WEB-15] a challenge is kept until its code is right or its time is over, and a wrong code keeps it', async () => {
  assert.equal(await problemOf({ code: '123456' }), 'challenge_over');
  api.answers.set('/api/user/auth/login', { status: 200, body: challenge() });
  assert.equal(await problemOf(CREDENTIALS), 'two_factor:otp:sms');
  assert.equal((await readChallenge())?.tfa_token, 'tfa');
  const path = '/api/user/auth/verify-totp';
  for (const [answer, problem, isKept] of [
    [{ status: 401, body: { code: 'wrong_code' } }, 'wrong_code', true],
    [{ status: 503, body: {} }, 'unavailable', true],
    [{ status: 429, body: {}, headers: { 'retry-after': '7' } }, 'throttled:7', true],
    [{ status: 401, body: { code: 'challenge_ended' } }, 'challenge_over', false],
  ] as const) {
    await storeChallenge(challenge() as never);
    api.answers.set(path, answer);
    assert.deepEqual([await problemOf({ code: ' 123456 ' }), (await readChallenge()) !== null], [problem, isKept]);
  }
  await storeChallenge(challenge() as never);
  api.answers.set(path, { status: 200, body: tokens() });
  api.answers.set(ME, { status: 503, body: {} });
  assert.deepEqual(
    [await problemOf({ code: '123456' }), (await readChallenge()) !== null],
    ['unavailable', true],
    'nothing is lost while the profile cannot be read',
  );
  api.answers.set(ME, { status: 200, body: PROFILE });
  api.received.length = 0;
  assert.equal((await authorize({ code: ' 123456 ' })).id, '5');
  assert.deepEqual([bodies(), cookies.has('case-two-factor')], [[{ tfa_token: 'tfa', code: '123456' }], false]);
});

const jwt = (token: SessionToken) => authOptions().callbacks?.jwt?.({ token } as never) as unknown as Promise<SessionToken>;

test('[WEB-6, WEB-11] the session that a browser reads is renewed, has the current name, and has ended once the API says so', async () => {
  api.answers.set(ME, { status: 200, body: PROFILE });
  assert.equal((await jwt(session())).name, 'Ada Byron');
  api.answers.set(ME, 503);
  assert.equal((await jwt(session())).name, 'Ada', 'an outage changes nothing');
  api.answers.set(ME, 401);
  await assert.rejects(jwt(session()), /has ended/);
  api.answers.set(REFRESH, 401);
  assert.equal((await jwt(session({ isDue: true }))).tokenError, 'RefreshFailed');
  const leaving = session();
  api.answers.set(ME, () => {
    markSignedOut(leaving.sid, Date.now(), HOUR);
    return { status: 200, body: PROFILE };
  });
  await assert.rejects(jwt(leaving), /has ended/);
  api.received.length = 0;
  await assert.rejects(jwt(leaving), /has ended/);
  await assert.rejects(jwt({ name: 'forged' } as never), /has ended/);
  assert.deepEqual(calls(), []);
});

test('[WEB-10] a browser reads its session without tokens', () => {
  const token = session({ tokenError: 'RefreshFailed' });
  const browser = authOptions().callbacks?.session?.({ session: { expires: 'x' }, token } as never);
  assert.deepEqual(browser, {
    userType: 'ip',
    setup_status: token.setup_status,
    tokenError: 'RefreshFailed',
    expires: 'x',
    user: { name: 'Ada' },
  });
});

const post = (method: 'POST' | 'DELETE', headers: Record<string, string> = {}) =>
  new Request('http://localhost:3000/api/auth/code', { method, headers });

test('[TWO-FACTOR-7] another code is sent for a challenge of this browser, and other sites cannot ask for one', async () => {
  const resend = async (answer: Parameters<typeof api.answers.set>[1], headers = {}) => {
    api.answers.set('/api/user/auth/resend-otp', answer);
    const response = await code.POST(post('POST', headers));
    return [response.status, await response.json(), (await readChallenge()) !== null];
  };
  assert.deepEqual(await resend(202), [409, { problem: 'challenge_over' }, false]);
  await storeChallenge(challenge() as never);
  assert.deepEqual(await resend(202, { 'sec-fetch-site': 'cross-site' }), [403, { problem: 'invalid' }, true]);
  assert.equal(calls().length, 0);
  assert.deepEqual(await resend({ status: 202, body: { message: 'Sent.' } }), [202, { sent: true }, true]);
  assert.deepEqual(await resend({ status: 429, body: {}, headers: { 'retry-after': '9' } }), [
    429,
    { problem: 'throttled:9' },
    true,
  ]);
  assert.deepEqual(await resend(500), [503, { problem: 'unavailable' }, true]);
  assert.deepEqual(await resend(401), [409, { problem: 'challenge_over' }, false]);
  await storeChallenge(challenge() as never);
  assert.equal((await code.DELETE(post('DELETE', { 'sec-fetch-site': 'cross-site' }))).status, 403);
  assert.notEqual(await readChallenge(), null);
  assert.equal((await code.DELETE(post('DELETE'))).status, 204);
  assert.equal(await readChallenge(), null);
});

test('[WEB-4] next-auth gets only the calls that the application uses', async () => {
  const call = async (method: 'GET' | 'POST', action: string) => {
    const request = new NextRequest(`http://localhost:3000/api/auth/${action}`, { method });
    const answer = await auth[method](request, { params: Promise.resolve({ nextauth: action.split('/') }) });
    return answer.status === 200 ? await answer.text() : answer.status;
  };
  for (const [method, action, expected] of [
    ['GET', 'csrf', 'next-auth'],
    ['GET', 'session', 'next-auth'],
    ['POST', 'callback/credentials', 'next-auth'],
    ['POST', 'signout', 'next-auth'],
    ['GET', 'callback/credentials', 405],
    ['POST', 'csrf', 405],
    ['POST', 'callback/other', 404],
    ['GET', '_log', 404],
    ['POST', '_log', 204],
  ] as const)
    assert.equal(await call(method, action), expected, `${method} ${action}`);
});
