import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createThrottle, isRecentProof } from '@case-platform/modules/accounts';
import { signToken } from '../../../modules/accounts/sign-in/tokens.ts';
import { type CastName, DEMO_PASSWORD } from '../../support/cast.ts';
import { lastCode, totpAt } from '../../support/codes.ts';
import { Client, startApi, TEST_TOKEN_KEYS } from '../../support/platform.ts';

let clock = Date.now();
const api = await startApi({ now: () => new Date(clock) });
const MINUTE = 60_000;
const PASSWORD = { pass_hash: DEMO_PASSWORD };

const send = (who: Client, method: string, path: string, body: object) =>
  who.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

/** Every change that asks for proof of identity. Each call sends a new value, so that it can succeed. */
let times = 0;
const CHANGES: Record<string, (who: Client, proof?: object) => ReturnType<typeof send>> = {
  phone: (who, proof) => {
    times += 1;
    return send(who, 'PATCH', '/api/user/me', { phone: `+1202555${1000 + times}`, ...proof });
  },
  'email address': (who, proof) => {
    times += 1;
    return send(who, 'POST', '/api/user/me/email', { email_address: `other-${times}@demo.test`, ...proof });
  },
  'two-factor by an app': (who, proof) => send(who, 'POST', '/api/user/me/two-factor', { method: 'app', ...proof }),
  'two-factor by email': (who, proof) => send(who, 'POST', '/api/user/me/two-factor', { method: 'email', ...proof }),
  'bank account': (who, proof) => {
    times += 1;
    const account = { routing_number: '021000021', account_number: `12345${times}`, account_kind: 'checking' };
    return send(who, 'PUT', '/api/user/me/bank-account', { holder_name: 'Some One', ...account, ...proof });
  },
};

/** Reads everything that one of the changes could write. */
const written = async () =>
  (
    await api.pool.query(
      `select (select md5(string_agg(u::text, '' order by id)) from user_account u) as people,
              (select count(*) from payee_bank_account) as accounts, (select count(*) from tfa_challenge) as challenges,
              (select count(*) from audit_entry) as entries, (select count(*) from delivery) as mails`,
    )
  ).rows[0];

/** Signs someone in this long ago, with a token that is still valid. */
const signedIn = async (name: CastName, agoMs: number, at = api) => {
  clock -= agoMs;
  const client = await at.as(name);
  clock += agoMs;
  return client;
};

beforeEach(async () => {
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

for (const [name, change] of Object.entries(CHANGES)) {
  test(`[IDENTITY-1] ${name}: ten minutes after the sign-in the password is required, and a wrong one changes nothing`, async () => {
    const fresh = await change(await signedIn('surrogate', 10 * MINUTE - 1000));
    assert.ok(fresh.status < 300, JSON.stringify(fresh.body));
    const late = await signedIn('surrogate', 10 * MINUTE);
    const before = await written();
    const rejected = await change(late);
    assert.deepEqual([rejected.status, rejected.body.code], [403, 'confirm_identity']);
    const wrong = await change(late, { pass_hash: 'guess' });
    assert.deepEqual([wrong.status, wrong.body.code, wrong.body.errors[0].field], [422, 'wrong_password', 'pass_hash']);
    const off = await change(late, { code: '123456' });
    assert.deepEqual([off.status, off.body.errors[0].field], [422, 'code'], 'there is no second factor to give');
    assert.deepEqual(await written(), before);
    assert.ok((await change(late, PASSWORD)).status < 300);
    const young = await signedIn('surrogate', 0);
    assert.equal((await change(young, { pass_hash: 'guess' })).status, 422, 'what is given is looked at');
  });
}

test('[IDENTITY-2] a new password asks for the current one or a code, right after the sign-in too', async () => {
  const bare = await send(await signedIn('parent', 0), 'POST', '/api/user/me/password', {
    new_pass_hash: 'Harbour-Lantern-42',
  });
  assert.deepEqual([bare.status, bare.body.code], [403, 'confirm_identity']);
  const person = await signedIn('totp', 20 * MINUTE);
  const set = { code: totpAt(clock), new_pass_hash: 'Harbour-Lantern-42' };
  assert.equal((await send(person, 'POST', '/api/user/me/password', set)).status, 200);
  assert.equal((await send(person, 'POST', '/api/user/me/password', set)).status, 422, 'a code works once');
});

describe('identity', () => {
  test('[IDENTITY-1] a code confirms identity where two-factor is on: from the app, by mail, or a backup code', async () => {
    const person = await signedIn('totp', 20 * MINUTE);
    const phone = CHANGES.phone as (typeof CHANGES)[string];
    assert.equal((await phone(person)).status, 403);
    assert.equal((await phone(person, { code: '000000' })).status, 422);
    assert.equal((await phone(person, { code: totpAt(clock) })).status, 200);
    const backup = await phone(person, { backup_code: 'abcde-fghjk' });
    assert.deepEqual([backup.status, backup.body.errors[0].field], [422, 'backup_code']);

    const mailed = await signedIn('mailotp', 20 * MINUTE);
    assert.equal((await phone(mailed)).status, 403);
    assert.equal((await mailed.post('/api/user/me/two-factor', { method: 'email' })).status, 200, 'asks for no proof');
    assert.equal((await phone(mailed, { code: await lastCode(api, 'email') })).status, 200);
  });

  test('[IDENTITY-4] a method that was turned on since the sign-in confirms nothing, to the millisecond; the password does', async () => {
    clock = Math.ceil(clock / 1000) * 1000;
    const person = await signedIn('manager', MINUTE);
    const { secret } = (await person.post('/api/user/me/two-factor', { method: 'app' })).body;
    const on = await person.post('/api/user/me/two-factor/confirm', { code: totpAt(clock, secret) });
    const [backup_code] = on.body.backup_codes;
    const { rows } = await api.pool.query('select * from user_account where id = $1', [person.userId]);
    assert.equal(rows[0].two_factor_since.getTime(), clock);
    const signedInAt = new Date(clock);
    const tokenOf = async (signedIn: Date) =>
      new Client(
        api.baseUrl,
        (await signToken(TEST_TOKEN_KEYS, 'access', rows[0], { signedInAt: signedIn }, new Date(clock))).token,
        0,
      );
    clock += 20 * MINUTE;
    const code = totpAt(clock, secret);
    const before = await written();
    for (const proof of [{ code }, { backup_code }]) {
      const answers = [
        await (CHANGES.phone as (typeof CHANGES)[string])(person, proof),
        await send(person, 'POST', '/api/user/me/password', { ...proof, new_pass_hash: 'Harbor-Lantern-42' }),
      ];
      for (const { status, body } of answers)
        assert.deepEqual([status, body.errors[0].field], [422, Object.keys(proof)[0]], JSON.stringify(body));
    }
    assert.deepEqual(await written(), before, 'nor is a code spent');
    const since = (at: Date) =>
      api.pool.query('update user_account set two_factor_since = $2 where id = $1', [person.userId, at]);
    const passed = await tokenOf(signedInAt);
    await since(signedInAt);
    assert.equal((await (CHANGES.phone as (typeof CHANGES)[string])(passed, { code })).status, 422);
    await since(new Date(signedInAt.getTime() - 1));
    assert.equal((await (CHANGES.phone as (typeof CHANGES)[string])(passed, { code })).status, 200);
    const set = { ...PASSWORD, new_pass_hash: 'Harbor-Lantern-42' };
    assert.equal((await send(person, 'POST', '/api/user/me/password', set)).status, 200);
  });

  test('[IDENTITY-4, DATABASE-7] the database stores the moment a method was turned on, whatever turns it on', async () => {
    const turn = async (method: string | null) =>
      (
        await api.pool.query(
          `update user_account set two_factor_method = $1 where email_address = 'owner@demo.test'
             returning two_factor_since = now() as now, two_factor_since`,
          [method],
        )
      ).rows[0];
    assert.equal((await turn('email')).now, true);
    const { rows } = await api.pool.query(`select two_factor_since from user_account where email_address = 'owner@demo.test'`);
    assert.deepEqual((await turn('email')).two_factor_since, rows[0].two_factor_since, 'it was on');
    assert.equal((await turn(null)).two_factor_since, null);
  });

  test('[IDENTITY-7] names, the time zone, and an unchanged number ask for nothing', async () => {
    const late = await signedIn('smsotp', 20 * MINUTE);
    for (const body of [{ first_name: 'Other' }, { timezone: 'Europe/Berlin' }, { phone: '+1 202 555 0143' }])
      assert.equal((await send(late, 'PATCH', '/api/user/me', body)).status, 200, JSON.stringify(body));
  });

  test('[IDENTITY-3] a refreshed token keeps the time of the sign-in', async () => {
    const credentials = { email_address: 'rep@demo.test', user_type: 'ip_company', ...PASSWORD };
    const { body } = await api.anonymous.post('/api/user/auth/login', credentials);
    clock += 11 * MINUTE;
    const refreshed = await api.anonymous.post('/api/user/auth/refresh', { refresh_token: body.refresh_token });
    const phone = CHANGES.phone as (typeof CHANGES)[string];
    assert.equal((await phone(new Client(api.baseUrl, refreshed.body.access_token, 0))).status, 403);
  });

  test('[PASSWORD-8] guesses of the password count like failed sign-ins, also in another process', async () => {
    const late = await signedIn('owner', 20 * MINUTE);
    const phone = CHANGES.phone as (typeof CHANGES)[string];
    for (let guess = 0; guess < 10; guess += 1) assert.equal((await phone(late, { pass_hash: `guess ${guess}` })).status, 422);
    const refused = await phone(late, PASSWORD);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await assert.rejects(createThrottle(api.pool).requireBelowLimit('password', String(late.userId)), { status: 429 });
  });
});

describe('turning two-factor off', () => {
  const turnOff = (who: Client, body: object) => send(who, 'DELETE', '/api/user/me/two-factor', body);

  test('[PASSWORD-3] turning two-factor off is rejected while the password is too short without it', async () => {
    // The test removes the account's second factor, so it needs a platform of its own.
    const person = await signedIn('totp', 0, await startApi({ now: () => new Date(clock) }));
    const password = (new_pass_hash: string) =>
      send(person, 'POST', '/api/user/me/password', { code: totpAt(clock), new_pass_hash });
    assert.equal((await password('Xk7-mq2w')).status, 200, 'eight characters are enough beside a code');
    clock += MINUTE;
    const refused = await turnOff(person, { code: totpAt(clock) });
    assert.deepEqual([refused.status, refused.body.code], [409, 'password_short']);
    assert.equal((await password('Longer-lantern-9')).status, 200, 'the code was not spent');
    clock += MINUTE;
    assert.equal((await turnOff(person, { code: totpAt(clock) })).status, 200);
  });

  test('[PASSWORD-3] turning two-factor off and setting a short password at the same moment never both succeed', async () => {
    const person = await signedIn('mailotp', 0);
    for (let round = 0; round < 3; round += 1) {
      await api.pool.query('delete from throttle');
      clock += 2 * MINUTE;
      await person.post('/api/user/me/two-factor', { method: 'email' });
      const code = await lastCode(api, 'email');
      const { rows: before } = await api.pool.query('select password_hash from user_account where id = $1', [person.userId]);
      const [off, set] = await Promise.all([
        turnOff(person, { code }),
        send(person, 'POST', '/api/user/me/password', { ...PASSWORD, new_pass_hash: 'Xk7-mq2w' }),
      ]);
      assert.equal([off.status, set.status].filter((status) => status === 200).length, 1, `${off.status} ${set.status}`);
      await api.pool.query(
        `update user_account set two_factor_method = 'email', password_hash = $2, password_stands_alone = true where id = $1`,
        [person.userId, before[0].password_hash],
      );
    }
  });
});

test('[IDENTITY-1] a sign-in is recent for less than ten minutes, to the millisecond', () => {
  const [provenAt, minutes] = [new Date('2026-06-01T12:00:00Z'), 60_000];
  for (const [after, young] of [
    [10 * minutes - 1, true],
    [10 * minutes, false],
  ] as const) {
    assert.equal(isRecentProof(provenAt, new Date(provenAt.getTime() + after)), young, `${after} ms`);
  }
  assert.equal(isRecentProof(null, provenAt), false);
});
