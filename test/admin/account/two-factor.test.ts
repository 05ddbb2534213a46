import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createThrottle, passChallenge } from '@case-platform/modules/accounts';
import { decodeJwt } from 'jose';
import { signToken } from '../../../modules/accounts/sign-in/tokens.ts';
import { CAST, DEMO_PASSWORD } from '../../support/cast.ts';
import { lastCode, totpAt } from '../../support/codes.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { startApi, TEST_TOKEN_KEYS } from '../../support/platform.ts';
import { startAdmin, type Visitor } from '../start-admin.ts';

const MINUTE = 60_000;
let clock = Date.now();
const now = () => new Date(clock);
const api = await startApi({ now });
const admin = await startAdmin({ now, database: api });

const PEOPLE = {
  app: ['totp-admin@demo.test', 'admin'],
  email: ['mailotp@demo.test', 'ip'],
  sms: ['smsotp@demo.test', 'ip'],
} as const;

/** Signs someone in up to the code step. */
async function atCodeStep(method: keyof typeof PEOPLE): Promise<Visitor> {
  const visitor = admin.visitor();
  const [email, type] = PEOPLE[method];
  const page = await visitor.signIn(email, DEMO_PASSWORD, type);
  assert.deepEqual([page.status, page.location], [303, '/login/otp']);
  return visitor;
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/')).status === 200;
const wrong = (code: string) => (code === '000000' ? '111111' : '000000');
const ENDED = '/login?again=code';

beforeEach(async () => {
  // Each test uses a later step of the clock, because a TOTP step works once for each account.
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

describe('[TWO-FACTOR-13] awaiting the one-time code', () => {
  test('[TWO-FACTOR-13] the password opens no session, only a short-lived challenge', async () => {
    const visitor = admin.visitor();
    const page = await visitor.signIn('totp-admin@demo.test', DEMO_PASSWORD);
    assert.deepEqual([page.status, page.location], [303, '/login/otp']);
    const cookie = page.headers.getSetCookie().find((value) => value.startsWith('case_challenge=')) ?? '';
    assert.match(cookie, /^case_challenge=[0-9a-f-]{36}; Max-Age=600; Path=\/login; HttpOnly; SameSite=Lax$/);
    assert.equal(visitor.cookies.has('case_session'), false);
    assert.equal(await isSignedIn(visitor), false);
    const production = await startAdmin({ now, database: api, config: { production: true } });
    const secure = await production.visitor().signIn('totp-admin@demo.test', DEMO_PASSWORD);
    assert.match(secure.headers.getSetCookie().join(), /__Host-case_challenge=[^,]+; Path=\/; HttpOnly; Secure/);
  });

  test('app: the code opens a session, and the challenge is gone', async () => {
    const visitor = await atCodeStep('app');
    assert.match((await visitor.get('/login/otp')).text, /authenticator app/);
    const page = await visitor.enterCode(totpAt(clock));
    assert.deepEqual([page.status, page.location], [303, '/']);
    assert.equal(visitor.cookies.has('case_challenge'), false);
    assert.equal(await isSignedIn(visitor), true);
  });

  for (const method of ['email', 'sms'] as const) {
    test(`${method}: the page says where the code went, masked; the code opens a session once`, async () => {
      const visitor = await atCodeStep(method);
      const { text } = await visitor.get('/login/otp');
      assert.match(text, method === 'email' ? /m•••@demo\.test/ : /•••43/);
      assert.doesNotMatch(text, /mailotp|2025550143/);
      const code = await lastCode(api, method);
      const refused = await visitor.enterCode(wrong(code));
      assert.equal(refused.status, 401);
      assert.match(refused.text, /isn’t right/);
      const challenge = visitor.cookies.get('case_challenge') ?? '';
      assert.equal((await visitor.enterCode(` ${code.slice(0, 3)} ${code.slice(3)} `)).status, 303);
      assert.equal(await isSignedIn(visitor), true);

      const replay = admin.visitor();
      replay.cookies.set('case_challenge', challenge);
      const again = await replay.submit('/login/otp', { code });
      assert.deepEqual([again.status, again.location], [303, ENDED]);
      assert.equal(replay.cookies.has('case_session'), false);
    });
  }

  test('a TOTP code works once, also on another challenge', async () => {
    const code = totpAt(clock);
    assert.equal((await (await atCodeStep('app')).enterCode(code)).status, 303);
    assert.equal((await (await atCodeStep('app')).enterCode(code)).status, 401);
  });

  test('[TWO-FACTOR-3] after five attempts the challenge has ended: back to the sign-in page, also with the right code', async () => {
    const visitor = await atCodeStep('email');
    const challenge = visitor.cookies.get('case_challenge') ?? '';
    const code = await lastCode(api, 'email');
    for (let tries = 0; tries < 4; tries += 1) assert.equal((await visitor.enterCode(wrong(code))).status, 401);
    const fifth = await visitor.enterCode(wrong(code));
    assert.deepEqual([fifth.status, fifth.location], [303, ENDED]);
    assert.equal(visitor.cookies.has('case_challenge'), false);
    assert.match((await visitor.get(ENDED)).text, /That code has expired/);
    visitor.cookies.set('case_challenge', challenge);
    const sixth = await visitor.submit('/login/otp', { code, _csrf: visitor.cookies.get('case_form') ?? '' });
    assert.deepEqual([sixth.status, sixth.location], [303, ENDED]);
    assert.equal(visitor.cookies.has('case_session'), false);
  });

  test('[TWO-FACTOR-3] ten wrong codes for an account in 15 minutes get 429 in words; a new sign-in does not reset them', async () => {
    for (let round = 0; round < 2; round += 1) {
      const visitor = await atCodeStep('app');
      for (let tries = 0; tries < 5; tries += 1) await visitor.enterCode('000000');
    }
    const page = await (await atCodeStep('app')).enterCode(totpAt(clock));
    assert.equal(page.status, 429);
    assert.ok(Number(page.headers.get('retry-after')) > 0);
    assert.match(page.text, /Wait \d+ minutes and try again/);
  });

  test('[TWO-FACTOR-13] a code expires after ten minutes', async () => {
    const visitor = await atCodeStep('email');
    const code = await lastCode(api, 'email');
    const form = await visitor.get('/login/otp');
    clock += 10 * MINUTE + 1000;
    assert.equal((await visitor.fill(form, '/login/otp', { code })).location, ENDED);
    assert.equal(visitor.cookies.has('case_session'), false);
  });

  test('a code of one challenge does not work for another', async () => {
    const first = await atCodeStep('email');
    const code = await lastCode(api, 'email');
    const second = await atCodeStep('email');
    assert.equal((await second.enterCode(code)).status, 401);
    assert.equal((await first.enterCode(code)).status, 303);
  });

  test('[LAYER-1] a challenge of the JSON API is rejected here, and the other way around', async () => {
    const { email_address, user_type } = CAST.mailotp;
    const login = await api.anonymous.post('/api/user/auth/login', {
      email_address,
      user_type,
      pass_hash: DEMO_PASSWORD,
    });
    const code = await lastCode(api, 'email');
    const visitor = admin.visitor();
    visitor.cookies.set('case_challenge', decodeJwt(login.body.tfa_token).jti ?? '');
    assert.equal((await visitor.get('/login/otp')).location, ENDED);
    visitor.cookies.set('case_challenge', decodeJwt(login.body.tfa_token).jti ?? '');
    assert.equal((await visitor.submit('/login/otp', { code })).location, ENDED);
    assert.equal(visitor.cookies.has('case_session'), false);
    const verified = await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token: login.body.tfa_token, code });
    assert.equal(verified.status, 200, 'and was not spent by that');

    const staff = await atCodeStep('email');
    const staffCode = await lastCode(api, 'email');
    const user = { ...(await findUser('mailotp@demo.test', 'ip')) };
    const jti = staff.cookies.get('case_challenge') ?? '';
    const { token } = await signToken(TEST_TOKEN_KEYS, 'tfa', user, { jti }, now());
    const answer = await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token: token, code: staffCode });
    assert.deepEqual([answer.status, answer.body.code], [401, 'challenge_ended']);
  });

  test('a new code is sent at most once a minute, and the previous one no longer works', async () => {
    const visitor = await atCodeStep('email');
    const first = await lastCode(api, 'email');
    const form = await visitor.get('/login/otp');
    const tooSoon = await visitor.fill(form, '/login/otp/resend');
    assert.equal(tooSoon.status, 429);
    assert.ok(Number(tooSoon.headers.get('retry-after')) <= 60);
    assert.match(tooSoon.text, /less than a minute ago\. Wait 1 minute and try again/);
    clock += MINUTE;
    const page = await visitor.fill(form, '/login/otp/resend');
    assert.deepEqual([page.status, page.location], [303, '/login/otp?sent=again']);
    assert.match((await visitor.get('/login/otp?sent=again')).text, /new code is on its way/);
    const second = await lastCode(api, 'email');
    if (first !== second) assert.equal((await visitor.enterCode(first)).status, 401);
    assert.equal((await visitor.enterCode(second)).status, 303);
  });

  test('[TWO-FACTOR-7] a person gets at most six codes in 15 minutes, and the sign-in page says so', async () => {
    for (let sent = 0; sent < 6; sent += 1) await atCodeStep('sms');
    const page = await admin.visitor().signIn('smsotp@demo.test', DEMO_PASSWORD, 'ip');
    assert.equal(page.status, 429);
    assert.ok(Number(page.headers.get('retry-after')) > 0);
    assert.match(page.text, /action="\/login"/);
  });

  test('an account that is deactivated between the steps is not let in', async () => {
    const visitor = await atCodeStep('sms');
    const code = await lastCode(api, 'sms');
    const setStatus = (status: string) =>
      api.pool.query(`update user_account set status = $1 where email_address = 'smsotp@demo.test'`, [status]);
    await setStatus('deactivated');
    assert.equal((await visitor.enterCode(code)).location, ENDED);
    assert.equal(visitor.cookies.has('case_session'), false);
    const { rows } = await api.pool.query('select id, attempts from tfa_challenge order by created_at desc limit 1');
    const [{ id, attempts }] = rows;
    assert.equal(attempts, 0, 'the code is not even looked at');
    const context = {
      ...api,
      throttle: createThrottle(api.pool, {}),
      encryptionKey: TEST_SECRETS.encryptionKey,
    };
    const passed = passChallenge(context, { id, purpose: 'admin_login', answer: { code } }, now());
    await assert.rejects(passed, { code: 'challenge_ended' }, 'nor past the page');
    await setStatus('active');
  });

  test('input that cannot be a code is rejected as such, and is not an attempt', async () => {
    const visitor = await atCodeStep('email');
    const code = await lastCode(api, 'email');
    for (const odd of ['', '12345', '1234567', 'abcde-abcde', 'x'.repeat(40)]) {
      assert.equal((await visitor.enterCode(odd)).status, 422, odd);
    }
    assert.equal((await visitor.submit('/login/otp', { code: ['1', '2'] })).status, 422);
    assert.equal((await visitor.enterCode(code)).status, 303);
  });
});

describe('[TWO-FACTOR-13] the code step is hard to break', () => {
  test('session fixation: the session after the code is new, and the previous one has ended', async () => {
    const visitor = await admin.as('escrow');
    const before = visitor.cookies.get('case_session') ?? '';
    const fields = { email: 'totp-admin@demo.test', password: DEMO_PASSWORD, user_type: 'admin' };
    assert.equal((await visitor.submit('/login', fields)).location, '/login/otp');
    assert.equal((await visitor.enterCode(totpAt(clock))).status, 303);
    assert.notEqual(visitor.cookies.get('case_session'), before);
    const stale = admin.visitor();
    stale.cookies.set('case_session', before);
    assert.equal(await isSignedIn(stale), false);

    const planted = await atCodeStep('app');
    clock += MINUTE;
    planted.cookies.set('case_session', 'chosen-by-somebody-else');
    await planted.enterCode(totpAt(clock));
    assert.notEqual(planted.cookies.get('case_session'), 'chosen-by-somebody-else');
    assert.equal(await isSignedIn(planted), true);
  });

  test('a visitor without a challenge is sent back to the password', async () => {
    for (const id of [undefined, 'x', "' or 1=1 --", '00000000-0000-4000-8000-000000000000']) {
      const visitor = admin.visitor();
      if (id !== undefined) visitor.cookies.set('case_challenge', encodeURIComponent(id));
      assert.match((await visitor.get('/login/otp')).location ?? '', /^\/login/);
      for (const path of ['/login/otp', '/login/otp/resend']) {
        const page = await visitor.submit(path, { code: '000000' });
        assert.equal(page.status, 303);
        assert.match(page.location ?? '', /^\/login/);
      }
    }
  });

  test('the forms carry a token, and forms from another site are rejected', async () => {
    const visitor = await atCodeStep('email');
    const code = await lastCode(api, 'email');
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    for (const path of ['/login/otp', '/login/otp/resend']) {
      assert.equal((await visitor.submit(path, { code })).status, 403);
      assert.equal((await visitor.submit(path, { code, _csrf: 'guessed' })).status, 403);
      const token = visitor.cookies.get('case_form') ?? '';
      assert.equal((await visitor.submit(path, { code, _csrf: token }, foreign)).status, 403);
    }
    assert.equal(visitor.cookies.has('case_session'), false);
    assert.equal((await visitor.enterCode(code)).status, 303);
  });

  test('the requested page is remembered through both steps, and is never one of another site', async () => {
    const expected: [string, string][] = [
      ['/messages?show=unread&q=a%26b', '/messages?show=unread&q=a%26b'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example/', '/'],
    ];
    for (const [next, leadsTo] of expected) {
      clock += MINUTE;
      const visitor = admin.visitor();
      const form = await visitor.get(`/login?next=${encodeURIComponent(next)}`);
      const fields = { email: 'totp-admin@demo.test', password: DEMO_PASSWORD, user_type: 'admin' };
      const { location } = await visitor.fill(form, '/login', fields);
      assert.ok(location?.startsWith('/login/otp'), `${location}`);
      const page = await visitor.enterCode(totpAt(clock), location ?? '');
      assert.deepEqual([page.status, page.location], [303, leadsTo]);
    }
    const visitor = await atCodeStep('app');
    clock += MINUTE;
    const form = await visitor.get('/login/otp');
    const page = await visitor.fill(form, '/login/otp', { code: totpAt(clock), next: '//evil.example' });
    assert.equal(page.location, '/');
  });
});

async function findUser(email: string, type: string) {
  const { rows } = await api.pool.query(
    `select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id
       from user_account where email_address = $1 and user_type = $2`,
    [email, type],
  );
  return rows[0];
}
