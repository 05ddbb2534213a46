import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { DEMO_TOTP_SECRET, lastCode, totpAt } from '../../support/codes.ts';
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
  // Another step of the clock for each test: a TOTP step works once an account.
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

describe('[JSON API 5] the code step', () => {
  test('[States and transitions 6] [Authentication endpoints 4] app: a valid 6-digit code issues the full tokens', async () => {
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
    test(`[JSON API 5] ${channel}: a code of six digits is sent, and issues the full tokens`, async () => {
      const { tfa_token, tfa_type } = await login(name);
      assert.equal(tfa_type, 'otp');
      const code = await lastCode(api, channel);
      assert.match(code, /^\d{6}$/);
      assert.equal((await verify(tfa_token, wrong(code))).status, 401);
      assert.equal((await verify(tfa_token, code)).status, 200);
      assert.equal((await verify(tfa_token, code)).status, 401, 'a code works once');
    });
  }

  test('[Limits 4] TOTP code length: 6 digits; anything else is refused before it is tried', async () => {
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

  test('[decisions 12] a backup code is a field of its own, and never taken for a code', async () => {
    const { tfa_token } = await login('totp');
    const call = (body: object) => anonymous.post('/api/user/auth/verify-totp', { tfa_token, ...body });
    for (const body of [
      {},
      { code: totpAt(clock), backup_code: 'abcde-fghjk' },
      { backup_code: '123456' },
      { backup_code: '' },
    ])
      assert.equal((await call(body)).status, 422, JSON.stringify(body));
    assert.equal((await call({ backup_code: 'abcde-fghjk' })).body.code, 'wrong_code');
    assert.equal((await call({ code: totpAt(clock) })).status, 200);
    const mailed = await login('mailotp');
    assert.equal((await verifyBackup(mailed.tfa_token, 'abcde-fghjk')).status, 401, 'only the app method has them');
  });

  test('TOTP accepts one step either side, never a step twice, on whatever challenge', async () => {
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

  test('one code tried 20 times at the same moment opens one session, on one challenge or on twenty', async () => {
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

  test('five tries a challenge, then it is dead, also for the right code', async () => {
    const { tfa_token } = await login('mailotp');
    const code = await lastCode(api, 'email');
    for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await verify(tfa_token, wrong(code))).status, 401);
    const dead = await verify(tfa_token, code);
    assert.deepEqual([dead.status, dead.body.code], [401, 'challenge_ended']);
  });

  test('ten wrong codes an account in 15 minutes, then 429; a new login does not reset them', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { tfa_token } = await login('totp');
      for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await verify(tfa_token, '000000')).status, 401);
    }
    const { tfa_token } = await login('totp');
    const answer = await verify(tfa_token, totpAt(clock));
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
  });

  test('a code of one challenge is none of another', async () => {
    const first = await login('mailotp');
    const code = await lastCode(api, 'email');
    const second = await login('mailotp');
    assert.equal((await verify(second.tfa_token, code)).status, 401);
    assert.equal((await verify(first.tfa_token, code)).status, 200);
  });

  test('[decisions 5] codes end after ten minutes, and so does the partial session', async () => {
    const late = await login('mailotp');
    const code = await lastCode(api, 'email');
    clock += 10 * MINUTE;
    assert.equal((await verify(late.tfa_token, code)).status, 401);
    const { tfa_token } = await login('mailotp');
    const { iat, exp } = JSON.parse(Buffer.from(tfa_token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(exp - iat, 600);
    const sent = await lastCode(api, 'email');
    // Within the second that the token's end, in whole seconds, may come early.
    clock += 10 * MINUTE - 1000;
    assert.equal((await verify(tfa_token, sent)).status, 200);
  });

  test('a code is sent again at most once a minute, and the one before no longer works', async () => {
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

  test('nobody is sent more than six codes in 15 minutes, and none before the password is right', async () => {
    const { email_address, user_type } = CAST.smsotp;
    const before = await countDeliveries('sms');
    await anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash: 'wrong' });
    assert.equal(await countDeliveries('sms'), before);
    for (let at = 0; at < 6; at += 1) await login('smsotp');
    const answer = await anonymous.post('/api/user/auth/login', {
      email_address,
      user_type,
      pass_hash: passwordOf('smsotp'),
    });
    assert.equal(answer.status, 429);
  });

  test('an access or refresh token is no partial session, and a partial session no token', async () => {
    const tokens = (await login('parent')) as { access_token: string; refresh_token: string };
    for (const token of [tokens.access_token, tokens.refresh_token, 'x']) {
      assert.equal((await verify(token, '000000')).status, 401);
    }
    const { tfa_token } = await login('totp');
    assert.equal((await anonymous.post('/api/user/auth/refresh', { refresh_token: tfa_token })).status, 401);
  });
});

describe('[decisions 5] the settings', () => {
  const noticesTo = async (recipient: string, event: string) => {
    await api.work();
    return (await api.pool.query('select from delivery where recipient = $1 and event = $2', [recipient, event])).rows
      .length;
  };

  test('app: seed, confirmation by a code, ten backup codes that work once each, and off again', async () => {
    const person = await api.as('parent');
    const begun = await person.post('/api/user/me/two-factor', { method: 'app' });
    assert.match(begun.body.otpauth_url, /^otpauth:\/\/totp\/.*secret=/);
    assert.equal((await person.post('/api/user/me/two-factor/confirm', { code: '000000' })).status, 422);
    const confirmed = await person.post('/api/user/me/two-factor/confirm', { code: totpAt(clock, begun.body.secret) });
    assert.deepEqual(
      [confirmed.body.enabled, confirmed.body.method, confirmed.body.backup_codes.length],
      [true, 'app', 10],
    );
    assert.equal(await noticesTo('parent@demo.test', 'two_factor_changed'), 1);

    const [backup] = confirmed.body.backup_codes;
    assert.equal((await verify((await login('parent')).tfa_token, backup)).status, 422, 'it is no code');
    assert.equal((await verifyBackup((await login('parent')).tfa_token, backup)).status, 200);
    assert.equal((await verifyBackup((await login('parent')).tfa_token, backup)).status, 401);

    clock += MINUTE;
    const off = () =>
      person.call('DELETE', '/api/user/me/two-factor', {
        body: JSON.stringify({ code: totpAt(clock, begun.body.secret) }),
        headers: { 'content-type': 'application/json' },
      });
    assert.deepEqual((await off()).body, { enabled: false });
    assert.equal((await off()).status, 409);
    assert.equal((await login('parent')).tfa_required, undefined);
  });

  test('[decisions 5] without a partial session, too, a code ends after ten minutes, to the millisecond', async () => {
    for (const [after, status] of [
      [10 * MINUTE, 422],
      [10 * MINUTE - 1, 200],
    ] as const) {
      const person = await api.as('owner');
      await person.post('/api/user/me/two-factor', { method: 'email' });
      const code = await lastCode(api, 'email');
      clock += after;
      assert.equal((await person.post('/api/user/me/two-factor/confirm', { code })).status, status, String(after));
    }
  });

  test('email: a code is sent, confirms, and another one turns it off', async () => {
    const person = await api.as('parent2');
    await person.post('/api/user/me/two-factor', { method: 'email' });
    const on = await person.post('/api/user/me/two-factor/confirm', { code: await lastCode(api, 'email') });
    assert.deepEqual(on.body, { enabled: true, method: 'email', backup_codes: [] });
    assert.equal((await login('parent2')).tfa_method, 'email');
    await person.post('/api/user/me/two-factor', { method: 'email' });
    const code = await lastCode(api, 'email');
    const off = await person.call('DELETE', '/api/user/me/two-factor', {
      body: JSON.stringify({ code }),
      headers: { 'content-type': 'application/json' },
    });
    assert.deepEqual(off.body, { enabled: false });
  });

  test('sms needs a phone number; the number that codes go to is not changed meanwhile', async () => {
    const person = await api.as('manager');
    assert.equal((await person.post('/api/user/me/two-factor', { method: 'sms' })).status, 422);
    const patch = (who: typeof person, phone: string) =>
      who.call('PATCH', '/api/user/me', {
        body: JSON.stringify({ phone }),
        headers: { 'content-type': 'application/json' },
      });
    assert.equal((await patch(person, '+1 (202) 555-0100')).body.phone, '+12025550100');
    assert.equal((await person.post('/api/user/me/two-factor', { method: 'sms' })).status, 200);
    assert.equal((await patch(await api.as('smsotp'), '+12025550199')).status, 409);
  });

  test('[decisions 5] a code that went to a number which was changed since turns nothing on: it proves nothing about the new one', async () => {
    const person = await api.as('rep');
    const json = (method: string, path: string, body: object) =>
      person.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const setPhone = (phone: string) => json('PATCH', '/api/user/me', { phone });
    const begin = () => json('POST', '/api/user/me/two-factor', { method: 'sms' });
    const confirm = async () => json('POST', '/api/user/me/two-factor/confirm', { code: await lastCode(api, 'sms') });
    assert.equal((await setPhone('+12025550111')).status, 200);
    assert.equal((await begin()).status, 200);
    assert.equal((await setPhone('+12025550122')).status, 200);
    const refused = await confirm();
    assert.deepEqual([refused.status, refused.body.code], [422, 'challenge_ended']);
    const { rows } = await api.pool.query('select two_factor_method from user_account where id = $1', [person.userId]);
    assert.equal(rows[0].two_factor_method, null);
    assert.equal((await begin()).status, 200);
    assert.deepEqual((await confirm()).body.method, 'sms', 'a code to the present number does');
  });

  test('[decisions 5] of two methods that were begun before either was on, the second is not turned on over the first', async () => {
    const person = await api.as('bothSurrogate');
    const confirm = (code: string) => person.post('/api/user/me/two-factor/confirm', { code });
    const { secret } = (await person.post('/api/user/me/two-factor', { method: 'app' })).body;
    clock += 1000;
    await person.post('/api/user/me/two-factor', { method: 'email' });
    assert.equal((await confirm(await lastCode(api, 'email'))).status, 200);
    const second = await confirm(totpAt(clock, secret));
    assert.deepEqual([second.status, second.body.code], [409, 'two_factor_on']);
    const { rows } = await api.pool.query('select two_factor_method from user_account where id = $1', [person.userId]);
    assert.equal(rows[0].two_factor_method, 'email');
  });

  test('a method that is on is not set up over by whoever has a token', async () => {
    const person = await api.as('totp');
    for (const method of ['app', 'email', 'sms']) {
      const answer = await person.post('/api/user/me/two-factor', { method });
      assert.ok([409, 422].includes(answer.status), method);
    }
    assert.equal((await verify((await login('totp')).tfa_token, totpAt(clock, DEMO_TOTP_SECRET))).status, 200);
  });
});

async function countDeliveries(channel: string): Promise<number> {
  return (await api.pool.query('select from delivery where channel = $1', [channel])).rowCount ?? 0;
}
