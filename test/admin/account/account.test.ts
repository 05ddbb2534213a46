import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { DEMO_TOTP_SECRET, lastCode, totpAt } from '../../support/codes.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin, type Visitor } from '../start-admin.ts';

const MINUTE = 60_000;
let clock = Date.now();
const now = () => new Date(clock);
const api = await startApi({ now });
const admin = await startAdmin({ now, database: api });

const NEW_PASSWORD = 'lantern-orchard-velvet';
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/')).status === 200;
const noticesTo = async (recipient: string, event: string) =>
  (await api.pool.query('select from delivery where recipient = $1 and event = $2', [recipient, event])).rowCount ?? 0;

beforeEach(async () => {
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

describe('[TOKEN-7, PASSWORD-7] changing the password', () => {
  test('an issued API token stays valid; other staff sessions end, this one stays', async () => {
    const [here, elsewhere, other] = [await admin.as('escrow'), await admin.as('escrow'), await admin.as('root')];
    const token = await api.as('escrow');
    const form = await here.get('/account');
    const fields = { current_password: DEMO_PASSWORD, new_password: NEW_PASSWORD };
    const page = await here.fill(form, '/account/password', fields);
    assert.deepEqual([page.status, page.location], [303, '/account?done=password']);
    assert.match((await here.get('/account?done=password')).text, /Your password was changed/);
    assert.equal((await token.get('/api/user/me')).status, 200);
    assert.equal(await isSignedIn(elsewhere), false);
    assert.equal(await isSignedIn(other), true);
    assert.equal((await admin.visitor().signIn('escrow@demo.test', DEMO_PASSWORD)).status, 401);
    assert.equal((await admin.visitor().signIn('escrow@demo.test', NEW_PASSWORD)).status, 303);
    assert.equal(await noticesTo('escrow@demo.test', 'password_changed'), 1);
  });

  test('needs the current password, and rejects a new one that is short or common', async () => {
    const visitor = await admin.as('finance');
    const change = (current_password: string, new_password: string) =>
      visitor.post('/account/password', { current_password, new_password });
    for (const [current, next, words] of [
      ['wrong', NEW_PASSWORD, /not your current password/],
      [DEMO_PASSWORD, 'short-one', /at least 12 characters/],
      [DEMO_PASSWORD, 'password12345', /too easy to guess/],
      [DEMO_PASSWORD, 'x'.repeat(257), /up to 256/],
    ] as const) {
      const page = await change(current, next);
      assert.equal(page.status, 422, next);
      assert.match(page.text, words);
      assert.doesNotMatch(page.text, new RegExp(next), 'a password never comes back');
    }
    for (let tries = 0; tries < 9; tries += 1) await change('wrong', NEW_PASSWORD);
    const throttled = await change(DEMO_PASSWORD, NEW_PASSWORD);
    assert.equal(throttled.status, 429);
    assert.ok(Number(throttled.headers.get('retry-after')) > 0);
    assert.equal(await isSignedIn(visitor), true);
  });
});

describe('confirming identity', () => {
  const begin = async (visitor: Visitor) => visitor.post('/account/two-factor', { method: 'app' });
  const CONFIRM = '/account/confirm?next=%2Faccount%2Ftwo-factor';
  const challenges = async () => (await api.pool.query(`select from tfa_challenge where purpose = 'change'`)).rowCount;

  test('[IDENTITY-5] two-factor settings ask for proof ten minutes after the sign-in, and not again for ten minutes', async () => {
    const visitor = await admin.as('root');
    clock += 10 * MINUTE - 1000;
    assert.equal((await begin(visitor)).location, '/account/two-factor');
    clock += 1000;
    const before = await challenges();
    assert.equal((await begin(visitor)).location, CONFIRM);
    assert.equal(await challenges(), before, 'nothing was begun');
    const form = await visitor.get(CONFIRM);
    const wrong = await visitor.fill(form, '/account/confirm', { password: 'guess' });
    assert.deepEqual([wrong.status, /not your current password/.test(wrong.text)], [422, true]);
    for (const fields of [{}, { code: '123456' }, { code: 'x' }])
      assert.equal((await visitor.fill(form, '/account/confirm', fields)).status, 422, JSON.stringify(fields));
    assert.equal((await begin(visitor)).location, CONFIRM);
    const right = await visitor.fill(wrong, '/account/confirm', { password: DEMO_PASSWORD });
    assert.deepEqual([right.status, right.location], [303, '/account/two-factor']);
    assert.equal((await begin(visitor)).location, '/account/two-factor');
    clock += 10 * MINUTE;
    assert.equal((await begin(visitor)).location, CONFIRM);
    const other = await admin.as('root');
    assert.equal((await begin(other)).location, '/account/two-factor', 'each session for itself');
    assert.equal((await begin(visitor)).location, CONFIRM);
  });

  test('[IDENTITY-5, SIGN-IN-10] a code of the app proves identity too; the way back leads to this application only', async () => {
    const visitor = admin.visitor();
    await visitor.signIn('totp@demo.test', DEMO_PASSWORD, 'surrogate');
    await visitor.enterCode(totpAt(clock));
    clock += 15 * MINUTE;
    for (const next of ['//elsewhere.test/', 'https://elsewhere.test/', '/login'])
      assert.equal((await visitor.post('/account/confirm', { password: DEMO_PASSWORD, next })).location, '/', next);
    assert.equal((await visitor.post('/account/confirm', { code: totpAt(clock), next: '/account' })).location, '/account');
    assert.equal((await visitor.post('/account/confirm', { code: totpAt(clock), next: '/account' })).status, 422);
    assert.equal((await visitor.post('/account/confirm', { code: 'abcde-fghjk' })).status, 422);
  });

  test('[IDENTITY-5] changing one’s own number and address on one’s own record asks too, and so does a colleague’s', async () => {
    const visitor = await admin.as('root');
    clock += 15 * MINUTE;
    const { rows } = await api.pool.query(
      `select id, email_address from user_account where email_address in ('root@demo.test', 'viewer@demo.test') order by 2`,
    );
    for (const { id, email_address } of rows) {
      const edit = (fields: Record<string, string>) => {
        const record = { first_name: 'Some', last_name: 'One', phone: '', agency_id: '' };
        return visitor.post(`/users/${id}`, { email_address, ...record, ...fields });
      };
      for (const fields of [{ phone: '+12025550199' }, { email_address: 'mine@demo.test' }])
        assert.match((await edit(fields)).text, /Confirm it’s you in a new tab/);
      assert.equal((await edit({})).location, `/users/${id}?done=saved`);
    }
  });
});

describe('[TWO-FACTOR-10] two-factor', () => {
  test('app: shows a QR code and secret, is turned on by a code, and has ten backup codes, shown once, that work once each', async () => {
    const visitor = await admin.as('viewer');
    const choice = await visitor.get('/account/two-factor');
    assert.equal((await visitor.fill(choice, '/account/two-factor', { method: 'app' })).location, '/account/two-factor');
    const setup = await visitor.get('/account/two-factor');
    assert.match(setup.text, /<svg class="qr-code"[^>]*>.*<path d="/);
    assert.doesNotMatch(setup.text, /style=/);
    const secret = /id="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1]?.replaceAll(' ', '') ?? '';
    const refused = await visitor.fill(setup, '/account/two-factor/confirm', { code: '000000' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /isn’t right/);
    assert.match(refused.text, /class="qr-code"/, 'the QR code is still there');
    const on = await visitor.fill(setup, '/account/two-factor/confirm', { code: totpAt(clock, secret) });
    assert.equal(on.status, 200);
    assert.equal(on.headers.get('cache-control'), 'no-store');
    const codes = [...on.text.matchAll(/<li>([a-z2-9]{5}-[a-z2-9]{5})<\/li>/g)].map(([, code = '']) => code);
    assert.equal(new Set(codes).size, 10);
    assert.equal(await noticesTo('viewer@demo.test', 'two_factor_changed'), 1);
    for (const path of ['/account', '/account/two-factor']) {
      const { text } = await visitor.get(path);
      assert.ok(codes.every((code) => !text.includes(code)) && !text.includes(secret), path);
    }

    const signIn = async (code: string) => {
      const next = admin.visitor();
      await next.signIn('viewer@demo.test', DEMO_PASSWORD);
      return { page: await next.enterCode(code), next };
    };
    const [backup = ''] = codes;
    assert.equal((await signIn(backup.toUpperCase())).page.status, 303);
    assert.equal((await signIn(backup)).page.status, 401, 'a backup code works once');
    clock += MINUTE;
    const { next } = await signIn(totpAt(clock, secret));
    assert.equal(await isSignedIn(next), true);

    // The method was turned on after this session's sign-in, so only the password proves identity there (IDENTITY-4).
    clock += 15 * MINUTE;
    const code = totpAt(clock, secret);
    assert.doesNotMatch((await visitor.get('/account/confirm')).text, /Use a code instead/);
    for (const given of [code, codes[1] ?? '']) {
      const early = await visitor.post('/account/confirm', { code: given, next: '/account' });
      assert.equal(early.status, 422);
      assert.match(early.text, /was turned on after you signed in here/);
    }
    assert.match((await next.get('/account/confirm')).text, /Use a code instead/);
    assert.equal((await next.post('/account/confirm', { code, next: '/account' })).location, '/account');
    const byPassword = { password: DEMO_PASSWORD, next: '/account' };
    assert.equal((await visitor.post('/account/confirm', byPassword)).location, '/account');

    clock += MINUTE;
    const off = await next.get('/account/two-factor');
    assert.equal((await next.fill(off, '/account/two-factor/off', { code: '000000' })).status, 422);
    const done = await next.fill(off, '/account/two-factor/off', { code: totpAt(clock, secret) });
    assert.equal(done.location, '/account?done=two-factor-off');
    assert.equal((await admin.visitor().signIn('viewer@demo.test', DEMO_PASSWORD)).location, '/');
  });

  test('email: a sent code turns it on, and another one turns it off, for every type of user', async () => {
    const visitor = await admin.as('parent2');
    await visitor.fill(await visitor.get('/account/two-factor'), '/account/two-factor', { method: 'email' });
    const form = await visitor.get('/account/two-factor');
    assert.match(form.text, /p•••@demo\.test/);
    const confirm = { code: await lastCode(api, 'email') };
    const on = await visitor.fill(form, '/account/two-factor/confirm', confirm);
    assert.equal(on.location, '/account?done=two-factor-on');
    assert.equal((await admin.visitor().signIn('parent2@demo.test', DEMO_PASSWORD, 'ip')).location, '/login/otp');
    clock += MINUTE;
    await visitor.fill(await visitor.get('/account/two-factor'), '/account/two-factor');
    const code = await lastCode(api, 'email');
    const off = await visitor.fill(await visitor.get('/account/two-factor'), '/account/two-factor/off', { code });
    assert.equal(off.location, '/account?done=two-factor-off');
  });

  test('sms: needs a phone number', async () => {
    const visitor = await admin.as('manager');
    assert.match((await visitor.get('/account/two-factor')).text, /Add a phone number/);
    assert.equal((await visitor.post('/account/two-factor', { method: 'sms' })).status, 422);
    await api.pool.query(`update user_account set phone = '+12025550177' where email_address = 'manager@demo.test'`);
    await visitor.post('/account/two-factor', { method: 'sms' });
    const code = await lastCode(api, 'sms');
    const on = await visitor.post('/account/two-factor/confirm', { code });
    assert.equal(on.location, '/account?done=two-factor-on');
  });

  test('a method that is on cannot be replaced, and a code turns on nothing that was not begun', async () => {
    const visitor = admin.visitor();
    await visitor.signIn('totp-admin@demo.test', DEMO_PASSWORD);
    await visitor.enterCode(totpAt(clock, DEMO_TOTP_SECRET));
    for (const method of ['app', 'email']) {
      assert.equal((await visitor.post('/account/two-factor', { method })).status, 409, method);
    }
    assert.equal((await visitor.post('/account/two-factor', { method: 'pigeon' })).status, 422);
    const owner = await admin.as('owner');
    const page = await owner.post('/account/two-factor/confirm', { code: '000000' });
    assert.equal(page.status, 422);
    assert.match(page.text, /Start again/);
    assert.equal((await owner.post('/account/two-factor/off', { code: '000000' })).status, 409);
  });
});

describe('[SESSION-5] where a person is signed in', () => {
  test('open sessions and the last sign-ins name their devices, and one click ends the other sessions', async () => {
    const chrome =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    const fields = { email: 'rep@demo.test', password: DEMO_PASSWORD, user_type: 'ip_rep' };
    const elsewhere = admin.visitor();
    await elsewhere.submit('/login', fields, { 'user-agent': chrome });
    clock += MINUTE;
    const [here, stranger] = [await admin.as('rep'), await admin.as('surrogate')];
    const { text } = await here.get('/account');
    assert.match(text, /Chrome on Windows/);
    assert.match(text, /127\.0\.0\.1/);
    assert.match(text, /on 1 other device/);
    assert.equal(text.match(/This device/g)?.length, 1);
    const done = await here.fill(await here.get('/account'), '/account/sessions/close-others');
    assert.equal(done.location, '/account?done=sessions');
    assert.deepEqual([await isSignedIn(here), await isSignedIn(elsewhere), await isSignedIn(stranger)], [true, false, true]);
    assert.match((await here.get('/account')).text, /on this device only/);
  });

  test('a sign-in is recorded once it is complete, not before its code', async () => {
    const count = async () =>
      (
        await api.pool.query(`select from sign_in i join user_account u on u.id = i.user_id
         where u.email_address = 'totp-admin@demo.test' and i.layer = 'admin'`)
      ).rowCount;
    const before = (await count()) ?? 0;
    const visitor = admin.visitor();
    await visitor.signIn('totp-admin@demo.test', DEMO_PASSWORD);
    assert.equal(await count(), before);
    await visitor.enterCode(totpAt(clock, DEMO_TOTP_SECRET));
    assert.equal(await count(), before + 1);
  });
});
