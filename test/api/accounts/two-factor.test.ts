import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { lastCode, totpAt } from '../../support/codes.ts';
import { startApi } from '../../support/platform.ts';

let clock = Date.now();
const api = await startApi({ now: () => new Date(clock) });
const { anonymous } = api;
const MINUTE = 60_000;

const login = async (name: CastName) => {
  const { email_address, user_type } = CAST[name];
  const answer = await anonymous.post('/api/user/auth/login', {
    email_address,
    user_type,
    pass_hash: passwordOf(name),
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
const verify = (tfa_token: string, code: string) => anonymous.post('/api/user/auth/verify-totp', { tfa_token, code });
const verifyBackup = (tfa_token: string, backup_code: string) =>
  anonymous.post('/api/user/auth/verify-totp', { tfa_token, backup_code });
const wrong = (code: string) => (code === '000000' ? '111111' : '000000');

beforeEach(async () => {
  // Each test uses a later step of the clock, because a TOTP step works once for each account.
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

describe('[TWO-FACTOR-2] the code step', () => {
  test('[TWO-FACTOR-2] app: a valid six-digit code returns the tokens', async () => {
    const { tfa_token, tfa_method, tfa_type } = await login('totp');
    assert.deepEqual([tfa_method, tfa_type], ['app', 'totp']);
    const { status, body } = await verify(tfa_token, totpAt(clock));
    assert.equal(status, 200);
    const me = await anonymous.call('GET', '/api/user/me', {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    assert.equal(me.body.email_address, 'totp@demo.test');
  });

  for (const [name, channel] of [
    ['mailotp', 'email'],
    ['smsotp', 'sms'],
  ] as const) {
    test(`[TWO-FACTOR-2] ${channel}: a six-digit code is sent, and returns the tokens`, async () => {
      const { tfa_token, tfa_type } = await login(name);
      assert.equal(tfa_type, 'otp');
      const code = await lastCode(api, channel);
      assert.match(code, /^\d{6}$/);
      assert.equal((await verify(tfa_token, wrong(code))).status, 401);
      assert.equal((await verify(tfa_token, code)).status, 200);
      assert.equal((await verify(tfa_token, code)).status, 401, 'a code works once');
    });
  }

  test('[TWO-FACTOR-8] TOTP codes have 6 digits; anything else is rejected before it is tried', async () => {
    const { tfa_token } = await login('totp');
    const { token } = await api.as('totp');
    for (const code of [
      '',
      '12345',
      '1234567',
      '12345a',
      ' 123456',
      '123456\n',
      '１２３４５６',
      'abcde-fghjk',
      123456,
      ['123456'],
    ]) {
      const answer = await anonymous.post('/api/user/auth/verify-totp', { tfa_token, code });
      assert.deepEqual([answer.status, answer.body.errors[0].field], [422, 'code'], JSON.stringify(code));
      for (const [method, path] of [
        ['POST', '/api/user/me/two-factor/confirm'],
        ['DELETE', '/api/user/me/two-factor'],
        ['PUT', '/api/user/me/bank-account'],
      ] as const) {
        const refused = await anonymous.call(method, path, {
          body: JSON.stringify({ code }),
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        });
        assert.equal(refused.status, 422, `${path} ${JSON.stringify(code)}`);
      }
    }
    assert.equal((await api.pool.query('select from throttle')).rowCount, 0, 'none of them was a try');
  });

  test('[TWO-FACTOR-8] a backup code is a field of its own, and never accepted as a code', async () => {
    const { tfa_token } = await login('totp');
    const call = (body: object) => anonymous.post('/api/user/auth/verify-totp', { tfa_token, ...body });
    for (const body of [{}, { code: totpAt(clock), backup_code: 'abcde-fghjk' }, { backup_code: '123456' }, { backup_code: '' }])
      assert.equal((await call(body)).status, 422, JSON.stringify(body));
    assert.equal((await call({ backup_code: 'abcde-fghjk' })).body.code, 'wrong_code');
    assert.equal((await call({ code: totpAt(clock) })).status, 200);
    const mailed = await login('mailotp');
    assert.equal((await verifyBackup(mailed.tfa_token, 'abcde-fghjk')).status, 401, 'only the app method has them');
  });

  test('[TWO-FACTOR-5] TOTP accepts one step on either side, and never a step twice, with any challenge', async () => {
    for (const [offset, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [-1, 401],
      [0, 200],
      [1, 200],
      [0, 401],
    ] as const) {
      const { tfa_token } = await login('totp');
      assert.equal((await verify(tfa_token, totpAt(clock + offset * 30_000))).status, status, String(offset));
    }
  });

  test('one code sent 20 times at the same moment signs in once, for one challenge or for twenty', async () => {
    const { tfa_token } = await login('mailotp');
    const code = await lastCode(api, 'email');
    const tries = await Promise.all(Array.from({ length: 20 }, () => verify(tfa_token, code)));
    assert.equal(tries.filter((answer) => answer.status === 200).length, 1);
    assert.ok(tries.every((answer) => [200, 401, 429].includes(answer.status)));

    await api.pool.query('delete from throttle');
    const challenges = await Promise.all(Array.from({ length: 20 }, () => login('totp')));
    const answers = await Promise.all(challenges.map((challenge) => verify(challenge.tfa_token, totpAt(clock))));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  });

  test('of two requests that were both counted before either was checked, one signs in', async () => {
    const { db } = api;
    let letFirst: (() => void) | undefined;
    const inPairs: typeof db.transaction = async (work) => {
      await new Promise<void>((resolve) => {
        if (letFirst === undefined) letFirst = resolve;
        else for (const go of [letFirst, resolve]) go();
      });
      return db.transaction(work);
    };
    const { tfa_token } = await login('mailotp');
    const code = await lastCode(api, 'email');
    const limitedApi = await startApi({
      now: () => new Date(clock),
      database: { url: api.url, pool: api.pool, db: { query: db.query, transaction: inPairs } },
    });
    const verifyHeld = () => limitedApi.anonymous.post('/api/user/auth/verify-totp', { tfa_token, code });
    const statuses = (await Promise.all([verifyHeld(), verifyHeld()])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 401]);
  });

  test('after five attempts a challenge is dead, also for the right code', async () => {
    const { tfa_token } = await login('mailotp');
    const code = await lastCode(api, 'email');
    for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await verify(tfa_token, wrong(code))).status, 401);
    const dead = await verify(tfa_token, code);
    assert.deepEqual([dead.status, dead.body.code], [401, 'challenge_ended']);
  });

  test('after ten wrong codes for an account in 15 minutes it gets 429, also after a new sign-in', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { tfa_token } = await login('totp');
      for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await verify(tfa_token, '000000')).status, 401);
    }
    const { tfa_token } = await login('totp');
    const answer = await verify(tfa_token, totpAt(clock));
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
  });

  test('a code of one challenge does not work for another', async () => {
    const first = await login('mailotp');
    const code = await lastCode(api, 'email');
    const second = await login('mailotp');
    assert.equal((await verify(second.tfa_token, code)).status, 401);
    assert.equal((await verify(first.tfa_token, code)).status, 200);
  });

  test('[TWO-FACTOR-6] codes expire after ten minutes, and so does the partial session', async () => {
    const late = await login('mailotp');
    const code = await lastCode(api, 'email');
    clock += 10 * MINUTE;
    assert.equal((await verify(late.tfa_token, code)).status, 401);
    const { tfa_token } = await login('mailotp');
    const { iat, exp } = JSON.parse(Buffer.from(tfa_token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(exp - iat, 600);
    const sent = await lastCode(api, 'email');
    // The token's end is in whole seconds, so it may come up to a second early.
    clock += 10 * MINUTE - 1000;
    assert.equal((await verify(tfa_token, sent)).status, 200);
  });

  test('a code is sent again at most once a minute, and the previous one no longer works', async () => {
    const { tfa_token } = await login('mailotp');
    const first = await lastCode(api, 'email');
    const resend = () => anonymous.post('/api/user/auth/resend-otp', { tfa_token });
    assert.equal((await resend()).status, 429);
    clock += MINUTE - 1;
    assert.equal((await resend()).status, 429);
    clock += 1;
    assert.equal((await resend()).status, 202);
    const second = await lastCode(api, 'email');
    if (first !== second) assert.equal((await verify(tfa_token, first)).status, 401);
    assert.equal((await verify(tfa_token, second)).status, 200);
    assert.equal((await resend()).status, 401, 'a challenge that is over sends nothing');
  });

  test('a person gets at most six codes in 15 minutes, and none before the right password', async () => {
    const { email_address, user_type } = CAST.smsotp;
    const before = await countDeliveries('sms');
    await anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash: 'wrong' });
    assert.equal(await countDeliveries('sms'), before);
    for (let at = 0; at < 6; at += 1) await login('smsotp');
    assert.equal(await countDeliveries('sms'), before + 6);
    const answer = await anonymous.post('/api/user/auth/login', {
      email_address,
      user_type,
      pass_hash: passwordOf('smsotp'),
    });
    assert.equal(answer.status, 429);
  });

  test('an access or refresh token is not accepted as a challenge, nor a challenge as a token', async () => {
    const tokens = (await login('parent')) as { access_token: string; refresh_token: string };
    for (const token of [tokens.access_token, tokens.refresh_token, 'x']) {
      assert.equal((await verify(token, '000000')).status, 401);
    }
    const { tfa_token } = await login('totp');
    assert.equal((await anonymous.post('/api/user/auth/refresh', { refresh_token: tfa_token })).status, 401);
  });
});

async function countDeliveries(channel: string): Promise<number> {
  return (await api.pool.query('select from delivery where channel = $1', [channel])).rowCount ?? 0;
}
