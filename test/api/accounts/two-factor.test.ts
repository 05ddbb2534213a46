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
      database: { url: api.url, pool: api.pool, db: { ...db, transaction: inPairs } },
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
    // Asking too early sends nothing, so it does not use up the six codes of fifteen minutes.
    for (let at = 0; at < 8; at += 1) assert.equal((await resend()).status, 429);
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

describe('[TWO-FACTOR-10, TWO-FACTOR-11, TWO-FACTOR-14] the settings', () => {
  const noticesTo = async (recipient: string, event: string) => {
    await api.work();
    return (await api.pool.query('select from delivery where recipient = $1 and event = $2', [recipient, event])).rows.length;
  };

  test('app: seed, confirmation by a code, ten backup codes that work once each, and off again', async () => {
    const person = await api.as('parent');
    const begun = await person.post('/api/user/me/two-factor', { method: 'app' });
    assert.match(begun.body.otpauth_url, /^otpauth:\/\/totp\/.*secret=/);
    assert.equal((await person.post('/api/user/me/two-factor/confirm', { code: '000000' })).status, 422);
    const confirmed = await person.post('/api/user/me/two-factor/confirm', { code: totpAt(clock, begun.body.secret) });
    assert.deepEqual([confirmed.body.enabled, confirmed.body.method, confirmed.body.backup_codes.length], [true, 'app', 10]);
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

  test('[TWO-FACTOR-6] a code without a partial session also expires after ten minutes, to the millisecond', async () => {
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

  test('[TWO-FACTOR-10] a code that was sent to a number that has changed since turns nothing on', async () => {
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

  test('[TWO-FACTOR-10] of two methods that were begun before either was on, the second is not turned on over the first', async () => {
    const person = await api.as('bothSurrogate');
    const confirm = (code: string) => person.post('/api/user/me/two-factor/confirm', { code });
    const { secret } = (await person.post('/api/user/me/two-factor', { method: 'app' })).body;
    clock += 1000;
    await person.post('/api/user/me/two-factor', { method: 'email' });
    assert.equal((await confirm(await lastCode(api, 'email'))).status, 200);
    const ended = await confirm(totpAt(clock, secret));
    assert.deepEqual([ended.status, ended.body.code], [422, 'challenge_ended']);
    // The same is true if the other challenge was written after the first method was turned on.
    await api.pool.query('update tfa_challenge set used_at = null where user_id = $1 and new_secret is not null', [
      person.userId,
    ]);
    const second = await confirm(totpAt(clock, secret));
    assert.deepEqual([second.status, second.body.code], [409, 'two_factor_on']);
    const { rows } = await api.pool.query('select two_factor_method from user_account where id = $1', [person.userId]);
    assert.equal(rows[0].two_factor_method, 'email');
  });

  test('[IDENTITY-4] the seed of a set-up that was never confirmed proves nothing: neither identity, nor for turning two-factor off', async () => {
    const person = await api.as('bothParent');
    const call = (method: string, path: string, body: object) =>
      person.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const { secret } = (await person.post('/api/user/me/two-factor', { method: 'app' })).body;
    clock += 1000;
    await person.post('/api/user/me/two-factor', { method: 'email' });
    const code = await lastCode(api, 'email');
    assert.equal((await person.post('/api/user/me/two-factor/confirm', { code })).status, 200);
    const begun = 'user_id = $1 and new_secret is not null';
    const open = `select id from tfa_challenge where ${begun} and used_at is null`;
    assert.equal((await api.pool.query(open, [person.userId])).rowCount, 0, 'confirming ends what else was begun');
    // This restores the other challenge, as if it had been written after the confirmation.
    await api.pool.query(`update tfa_challenge set used_at = null where ${begun}`, [person.userId]);
    const tries = [
      () => call('DELETE', '/api/user/me/two-factor', { code: totpAt(clock, secret) }),
      () => call('PATCH', '/api/user/me', { phone: '+12025550177', code: totpAt(clock, secret) }),
      () => call('POST', '/api/user/me/password', { new_pass_hash: 'Harbor-Lantern-42', code: totpAt(clock, secret) }),
    ];
    for (const attempt of tries) {
      clock += MINUTE;
      const refused = await attempt();
      assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'code'], JSON.stringify(refused.body));
    }
    assert.equal((await login('bothParent')).tfa_method, 'email');
  });

  test('[TWO-FACTOR-4, TWO-FACTOR-10] two codes at the same moment turn two-factor off once', async () => {
    const person = await api.as('parent');
    const { secret } = (await person.post('/api/user/me/two-factor', { method: 'app' })).body;
    const on = await person.post('/api/user/me/two-factor/confirm', { code: totpAt(clock, secret) });
    const off = (backup_code: string) =>
      person.call('DELETE', '/api/user/me/two-factor', {
        body: JSON.stringify({ backup_code }),
        headers: { 'content-type': 'application/json' },
      });
    const answers = await Promise.all(on.body.backup_codes.slice(0, 4).map(off));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
  });

  test('a method that is on is not set up again by someone who only has a token', async () => {
    const person = await api.as('totp');
    for (const method of ['app', 'email', 'sms']) {
      const answer = await person.post('/api/user/me/two-factor', { method });
      assert.ok([409, 422].includes(answer.status), method);
    }
    assert.equal((await verify((await login('totp')).tfa_token, totpAt(clock, DEMO_TOTP_SECRET))).status, 200);
  });
});
