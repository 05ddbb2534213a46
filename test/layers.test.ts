import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SignInProblem, signInProblemWords } from '../apps/web/session/sign-in-errors.ts';
import { startAdmin } from './admin/start-admin.ts';
import { CAST, passwordOf } from './support/cast.ts';
import { startApi } from './support/platform.ts';

/** The layers share the user records and no sessions (LAYER-1). The tests of the web frontend are in test/web. */
const api = await startApi();
const admin = await startAdmin();

test('[LAYER-1] a session of the staff application is rejected by the JSON API', async () => {
  const visitor = await admin.as('escrow');
  const value = visitor.cookies.get('case_session') ?? '';
  assert.ok(value.length > 20);
  const headers = [
    { cookie: `case_session=${value}` },
    { cookie: `api_token=${value}` },
    { authorization: `Bearer ${value}` },
    { 'x-api-key': value },
  ];
  for (const header of headers) {
    const answer = await api.anonymous.call('GET', '/api/user/me', { headers: header as Record<string, string> });
    assert.equal(answer.status, 401, Object.keys(header).join());
  }
});

test("[LAYER-1] the JSON API's tokens are rejected by the staff application", async () => {
  const { token } = await api.as('escrow');
  for (const headers of [
    { cookie: `case_session=${token}` },
    { cookie: `api_token=${token}` },
    { authorization: `Bearer ${token}` },
  ]) {
    const answer = await fetch(`${admin.baseUrl}/messages`, {
      headers: headers as Record<string, string>,
      redirect: 'manual',
    });
    assert.equal(answer.status, 302);
    assert.match(answer.headers.get('location') ?? '', /^\/login/);
  }
});

/** Each rejected sign-in: the failures before it and their limit, and what a person has to read and must not read on any page. */
const REJECTED: {
  what: string;
  limits?: { login?: number; login_address?: number; login_account?: number };
  code: string;
  /** The problem that the web frontend reads from this code (its sign-in-refusals.test.ts). */
  problem: SignInProblem['code'];
  reads: RegExp;
  neverReads: RegExp;
}[] = [
  {
    what: 'a wrong password',
    code: 'wrong_credentials',
    problem: 'wrong',
    reads: /Check all three/,
    neverReads: /[Ww]ait \d|new place/,
  },
  {
    what: 'too many failures of an account from one address',
    limits: { login: 1 },
    code: 'too_many_requests',
    problem: 'throttled',
    reads: /[Ww]ait 1\d minutes/,
    neverReads: /new place|Check all three/,
  },
  {
    what: 'too many failures from one address',
    limits: { login_address: 1 },
    code: 'too_many_requests',
    problem: 'throttled',
    reads: /[Ww]ait 1\d minutes/,
    neverReads: /new place|Check all three/,
  },
  {
    what: 'too many failures of an account from elsewhere',
    limits: { login_account: 1 },
    code: 'unfamiliar_address',
    problem: 'unfamiliar',
    reads: /tried many passwords for this account[\s\S]*“Forgot your password\?” and set a new one with the link we email you/,
    neverReads: /[Ww]ait \d|try again|Check all three/,
  },
];

for (const { what, limits = {}, code, problem, reads, neverReads } of REJECTED)
  test(`[SIGN-IN-3, SIGN-IN-4, SIGN-IN-6] after ${what}, both sign-in forms say what to do`, async () => {
    const database = api;
    const [strictApi, strictAdmin] = [await startApi({ database, limits }), await startAdmin({ database, limits })];
    await api.pool.query('delete from throttle');
    await api.pool.query('delete from sign_in');
    const isLocked = Object.keys(limits).length > 0;
    const { email_address, user_type } = CAST.viewer;
    const signIn = (pass_hash: string) =>
      strictApi.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });
    if (isLocked) assert.equal((await signIn('wrong')).status, 401);
    const password = isLocked ? passwordOf('viewer') : 'wrong';
    const answer = await signIn(password);
    assert.deepEqual([answer.status, answer.body.code], [isLocked ? 429 : 401, code]);
    const seconds = Number(answer.headers.get('retry-after'));
    const { title, text } = signInProblemWords({ code: problem, seconds } as SignInProblem);
    const page = await strictAdmin.visitor().submit('/login', { email: email_address, password, user_type });
    assert.equal(page.status, answer.status);
    const alert = /<div class="notice is-error" role="alert">[\s\S]*?<\/div>/.exec(page.text)?.[0] ?? '';
    for (const words of [`${title} ${text}`, alert]) {
      assert.match(words, reads);
      assert.doesNotMatch(words, neverReads);
    }
  });
