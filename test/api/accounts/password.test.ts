import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CAST, type CastName, DEMO_PASSWORD, passwordOf } from '../../support/cast.ts';
import { startApi } from '../../support/platform.ts';

let clock = Date.now();
const api = await startApi({ now: () => new Date(clock) });
const { anonymous } = api;
const MINUTE = 60_000;
const GOOD = 'Harbour-Lantern-42';

beforeEach(() => api.pool.query('delete from throttle'));

const login = (name: CastName, pass_hash = passwordOf(name), headers = {}) => {
  const { email_address, user_type } = CAST[name];
  return anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash }, headers);
};
const request = (email_address: string, user_type: string) =>
  anonymous.post('/api/user/auth/password-reset/request', { email_address, user_type });
const confirm = (token: string, pass_hash = GOOD) =>
  anonymous.post('/api/user/auth/password-reset/confirm', { token, pass_hash });
const resetMails = async () => {
  await api.work();
  const { rows } = await api.pool.query<{ recipient: string; text: string }>(
    "select recipient, content->>'text' as text from delivery where event = 'password_reset' order by id",
  );
  return rows;
};
const tokenIn = (mail: { text: string } | undefined) => /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';

describe('reset', () => {
  test('[PASSWORD-6, EDGE-6] a link is mailed that names the role and leads to the configured address, whatever the Host header says', async () => {
    const answer = await anonymous.call('POST', '/api/user/auth/password-reset/request', {
      body: JSON.stringify({ email_address: 'Both@Demo.test ', user_type: 'surrogate' }),
      headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' },
    });
    assert.equal(answer.status, 202);
    const mail = (await resetMails()).at(-1);
    assert.equal(mail?.recipient, 'both@demo.test');
    assert.match(mail?.text ?? '', /Surrogate/);
    assert.match(mail?.text ?? '', /http:\/\/localhost:3000\/password-reset\/confirm\?role=surrogate#token=/);
    assert.doesNotMatch(mail?.text ?? '', /evil/);
    assert.equal((await confirm(tokenIn(mail))).status, 200);
    assert.equal((await login('bothSurrogate', GOOD)).status, 200);
    assert.equal((await login('bothParent')).status, 200, 'the other record under this address keeps its own');
  });

  test('[PASSWORD-4] known and unknown accounts get the same answer; nothing is sent to unknown ones', async () => {
    const before = (await resetMails()).length;
    const existing = await request('parent@demo.test', 'intended_parent');
    const unknown = await request('nobody@demo.test', 'intended_parent');
    const otherType = await request('parent@demo.test', 'surrogate');
    assert.deepEqual([existing.status, existing.body], [unknown.status, unknown.body]);
    assert.deepEqual([existing.status, existing.body], [otherType.status, otherType.body]);
    assert.equal((await resetMails()).length, before + 1);
  });

  test('[PASSWORD-5] a link works once, for 30 minutes, and opening it uses nothing up', async (t) => {
    const began = clock;
    t.after(() => {
      clock = began;
    });
    await request('rep@demo.test', 'ip_company');
    const token = tokenIn((await resetMails()).at(-1));
    assert.equal((await anonymous.get(`/api/user/auth/password-reset/confirm?token=${token}`)).status, 405);
    assert.equal((await confirm(token, 'short')).status, 422, 'a password that is refused spends nothing');
    const tries = await Promise.all(Array.from({ length: 10 }, () => confirm(token)));
    assert.deepEqual(tries.map((answer) => answer.status).sort(), [200, ...Array.from({ length: 9 }, () => 422)]);

    const again = await confirm(token, 'short');
    assert.match(JSON.stringify(again.body), /This link has been used/, 'said before anything about the password');

    await request('owner@demo.test', 'agency_owner');
    const late = tokenIn((await resetMails()).at(-1));
    // This counts from now, because the worker created the link by the clock of the machine.
    clock = Date.now() + 31 * MINUTE;
    assert.equal((await confirm(late)).status, 422);
    assert.equal((await confirm('invented')).status, 422);
  });

  test('[PASSWORD-4] three mails in 15 minutes at most, with the same answer', async () => {
    const before = (await resetMails()).length;
    // Spellings of one address count together.
    for (const address of [
      'manager@demo.test',
      'Manager@demo.test',
      ' MANAGER@demo.test',
      'manager@Demo.TEST ',
      'mAnager@demo.test',
    ])
      assert.equal((await request(address, 'case_manager')).status, 202);
    assert.equal((await resetMails()).length, before + 3);
  });
});

describe('change', () => {
  test('[TOKEN-7, PASSWORD-7] a password change leaves issued tokens valid, and is announced by mail', async () => {
    const tokens = (await login('surrogate')).body;
    const person = await api.as('surrogate');
    const change = (pass_hash: string, new_pass_hash: string) =>
      person.post('/api/user/me/password', { pass_hash, new_pass_hash });
    assert.equal((await change('wrong', GOOD)).status, 422, 'wrong input, not a lost session');
    assert.equal((await change(DEMO_PASSWORD, GOOD)).status, 200);
    const me = await anonymous.call('GET', '/api/user/me', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(me.status, 200);
    assert.equal((await anonymous.post('/api/user/auth/refresh', { refresh_token: tokens.refresh_token })).status, 200);
    assert.equal((await login('surrogate')).status, 401);
    assert.equal((await login('surrogate', GOOD)).status, 200);
    await api.work();
    const { rows } = await api.pool.query("select recipient from delivery where event = 'password_changed' and user_id = $1", [
      person.userId,
    ]);
    assert.deepEqual(rows, [{ recipient: 'surrogate@demo.test' }]);
  });

  test('[PASSWORD-1] a new password has 12 characters, 8 with two-factor, 256 at most, and is not a common one', async () => {
    const person = await api.as('parent');
    const secured = await api.as('mailotp');
    const set = async (who: typeof person, new_pass_hash: string) =>
      (await who.post('/api/user/me/password', { pass_hash: DEMO_PASSWORD, new_pass_hash })).status;
    for (const refused of ['elevenchars', 'password1234', 'aaaaaaaaaaaa', 'parent@demo.test', 'x'.repeat(257)]) {
      assert.equal(await set(person, refused), 422, refused);
    }
    assert.equal(await set(secured, '7-chars'), 422);
    assert.equal(await set(secured, '8-chars!'), 200);
    assert.equal(await set(person, '12-characte!'), 200);
  });
});

describe('throttle', () => {
  test('[SIGN-IN-4] ten failed sign-ins of an account and address in 15 minutes, then 429 with Retry-After, also for the right password', async () => {
    for (let at = 0; at < 10; at += 1) assert.equal((await login('owner', 'wrong')).status, 401);
    const refused = await login('owner');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 800);
    const spoofed = await login('owner', DEMO_PASSWORD, {
      'x-forwarded-for': '203.0.113.7',
      'x-real-ip': '203.0.113.7',
    });
    assert.equal(spoofed.status, 429, 'an address that the caller claims counts for nothing');
    assert.equal((await login('finance')).status, 200, 'other accounts are not affected');
  });

  test('[SIGN-IN-4] the count survives a restart and ends with its time', async () => {
    for (let at = 0; at < 10; at += 1) await login('finance', 'wrong');
    const { rows } = await api.pool.query('select points, expire from throttle');
    assert.ok(rows.length > 0, 'it lies in the database');
    await api.pool.query('update throttle set expire = $1', [Date.now() - 1000]);
    assert.equal((await login('finance')).status, 200);
  });

  test('[SIGN-IN-7] 30 wrong passwords at the same moment are no more than ten attempts', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => login('viewer', 'wrong')));
    assert.ok(answers.filter((answer) => answer.status === 401).length <= 10);
    assert.ok(answers.every((answer) => [401, 429].includes(answer.status)));
  });

  test('[SIGN-IN-5] 30 failed sign-ins from one address, over many accounts, then 429 for all of them', async () => {
    for (let at = 0; at < 30; at += 1) {
      const answer = await anonymous.post('/api/user/auth/login', {
        email_address: `guess-${at}@demo.test`,
        user_type: 'surrogate',
        pass_hash: 'wrong',
      });
      assert.equal(answer.status, 401);
    }
    const refused = await login('finance');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  test('[SIGN-IN-5, SIGN-IN-7] forty at once do not avoid the limit', async () => {
    await api.pool.query('delete from throttle');
    const tries = Array.from({ length: 40 }, (_, at) => ({
      email_address: `spray-${at}@demo.test`,
      user_type: 'surrogate',
    }));
    const answers = await Promise.all(tries.map((who) => anonymous.post('/api/user/auth/login', { ...who, pass_hash: 'wrong' })));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    assert.deepEqual([count(401), count(429)], [30, 10]);
    assert.equal((await login('finance')).status, 429);
    await api.pool.query('delete from throttle');
  });

  /** Makes guesses as if from very many addresses, by resetting every count except the one of the account. */
  const guessFromEverywhere = async (name: CastName, times: number) => {
    for (let at = 0; at < times; at += 1) {
      await api.pool.query("delete from throttle where key not like 'login_account:%'");
      assert.equal((await login(name, 'wrong')).status, 401, String(at));
    }
    await api.pool.query("delete from throttle where key not like 'login_account:%'");
  };

  test('[SIGN-IN-6] after 100 failed sign-ins of an account from unknown addresses in 24 hours, it signs in from known ones only', async () => {
    await api.pool.query('delete from sign_in');
    await guessFromEverywhere('manager', 100);
    const refused = await login('manager');
    assert.equal(refused.status, 429, 'also for the right password');
    assert.ok(Number(refused.headers.get('retry-after')) > 80_000);
    const signedIn = (days: number, name: CastName = 'manager') =>
      api.pool.query(
        `insert into sign_in (user_id, layer, ip_address, signed_in_at)
         select id, 'api', '127.0.0.1', to_timestamp($1) from user_account where email_address = $2`,
        [clock / 1000 - days * 86_400, CAST[name].email_address],
      );
    await signedIn(1, 'parent');
    assert.equal((await login('manager')).status, 429, 'somebody else was there');
    await signedIn(91);
    assert.equal((await login('manager')).status, 429, 'long ago is not known');
    await signedIn(89);
    assert.equal((await login('manager')).status, 200, 'the owner is not locked out');
    await api.pool.query('delete from throttle');
    assert.equal((await login('manager', 'mistyped')).status, 401);
    const counted = await api.pool.query(`select from throttle where key like 'login_account:%'`);
    assert.equal(counted.rows.length, 0, 'nor do their own mistakes at a known address count towards it');
    await api.pool.query('delete from throttle');
  });

  test('[SIGN-IN-7] right passwords are not counted', async () => {
    for (let at = 0; at < 12; at += 1) assert.equal((await login('viewer')).status, 200);
  });
});

test('[SIGN-IN-11] the last sign-ins are shown, from where and with what', async () => {
  assert.equal((await login('root', DEMO_PASSWORD, { 'user-agent': 'x'.repeat(2000) })).status, 200, 'however long');
  await login('root', DEMO_PASSWORD, { 'user-agent': 'A browser' });
  const { body } = await (await api.as('root')).get('/api/user/me/sign-ins');
  assert.deepEqual([body.data[0].layer, body.data[0].user_agent, body.data[0].ip_address], ['api', 'A browser', '127.0.0.1']);
});
