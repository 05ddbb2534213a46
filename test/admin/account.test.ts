import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { DEMO_PASSWORD } from '../support/cast.ts';
import { DEMO_TOTP_SECRET, lastCode, totpAt } from '../support/codes.ts';
import { startApi } from '../support/platform.ts';
import { startAdmin, type Visitor } from './start-admin.ts';

const MINUTE = 60_000;
let clock = Date.now();
const now = () => new Date(clock);
const api = await startApi({ now });
const admin = await startAdmin({ now, database: api });

const NEW_PASSWORD = 'lantern-orchard-velvet';
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/')).status === 200;
const noticesOf = async (event: string) =>
  (await api.pool.query('select from delivery where event = $1', [event])).rowCount ?? 0;

beforeEach(async () => {
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

describe('[What the service does 2] changing the password', () => {
  test('an issued API token stays valid; other staff sessions end, this one stays', async () => {
    const [here, elsewhere, other] = [await admin.as('escrow'), await admin.as('escrow'), await admin.as('root')];
    const token = await api.as('escrow');
    const form = await here.get('/account');
    const fields = { current_password: DEMO_PASSWORD, new_password: NEW_PASSWORD };
    const page = await here.fill(form, '/account/password', fields);
    assert.deepEqual([page.status, page.location], [303, '/account?done=password']);
    assert.match((await here.get('/account?done=password')).text, /Your password is changed/);
    assert.equal((await token.get('/api/user/me')).status, 200);
    assert.equal(await isSignedIn(elsewhere), false);
    assert.equal(await isSignedIn(other), true);
    assert.equal((await admin.visitor().signIn('escrow@demo.test', DEMO_PASSWORD)).status, 401);
    assert.equal((await admin.visitor().signIn('escrow@demo.test', NEW_PASSWORD)).status, 303);
    assert.equal(await noticesOf('password_changed'), 1);
  });

  test('needs the current password, and refuses a new one that is short or common', async () => {
    const visitor = await admin.as('finance');
    const change = (current_password: string, new_password: string) =>
      visitor.post('/account/password', { current_password, new_password });
    for (const [current, next, words] of [
      ['wrong', NEW_PASSWORD, /current password is not right/],
      [DEMO_PASSWORD, 'short-one', /at least 12 characters/],
      [DEMO_PASSWORD, 'password12345', /first that others would try/],
      [DEMO_PASSWORD, 'x'.repeat(257), /at most 256/],
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

describe('[Server-rendered application 2] two-factor', () => {
  test('app: QR code and secret, a code turns it on, ten backup codes are shown once and work once each', async () => {
    const visitor = await admin.as('viewer');
    const choice = await visitor.get('/account/two-factor');
    assert.equal(
      (await visitor.fill(choice, '/account/two-factor', { method: 'app' })).location,
      '/account/two-factor',
    );
    const setup = await visitor.get('/account/two-factor');
    assert.match(setup.text, /<svg class="qr-code"[^>]*>.*<path d="/);
    assert.doesNotMatch(setup.text, /style=/);
    const secret = /id="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1]?.replaceAll(' ', '') ?? '';
    const refused = await visitor.fill(setup, '/account/two-factor/confirm', { code: '000000' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /not right/);
    assert.match(refused.text, /class="qr-code"/, 'the QR code is still there');
    const on = await visitor.fill(setup, '/account/two-factor/confirm', { code: totpAt(clock, secret) });
    assert.equal(on.status, 200);
    assert.equal(on.headers.get('cache-control'), 'no-store');
    const codes = [...on.text.matchAll(/<li>([a-z2-9]{5}-[a-z2-9]{5})<\/li>/g)].map(([, code = '']) => code);
    assert.equal(new Set(codes).size, 10);
    assert.equal(await noticesOf('two_factor_changed'), 1);
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

    clock += MINUTE;
    const off = await next.get('/account/two-factor');
    assert.equal((await next.fill(off, '/account/two-factor/off', { code: '000000' })).status, 422);
    const done = await next.fill(off, '/account/two-factor/off', { code: totpAt(clock, secret) });
    assert.equal(done.location, '/account?done=two-factor-off');
    assert.equal((await admin.visitor().signIn('viewer@demo.test', DEMO_PASSWORD)).location, '/');
  });

  test('email: a code is sent, turns it on, and another one turns it off; for every type of user', async () => {
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
    assert.match((await visitor.get('/account/two-factor')).text, /no phone number/);
    assert.equal((await visitor.post('/account/two-factor', { method: 'sms' })).status, 422);
    await api.pool.query(`update user_account set phone = '+12025550177' where email_address = 'manager@demo.test'`);
    await visitor.post('/account/two-factor', { method: 'sms' });
    const code = await lastCode(api, 'sms');
    const on = await visitor.post('/account/two-factor/confirm', { code });
    assert.equal(on.location, '/account?done=two-factor-on');
  });

  test('a method that is on is not set up over, and a code turns nothing on that was not begun', async () => {
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
    assert.match(page.text, /Begin again/);
    assert.equal((await owner.post('/account/two-factor/off', { code: '000000' })).status, 409);
  });
});

describe('[Server-rendered application 1] where one is signed in', () => {
  test('open sessions and the last sign-ins name their devices; the others end at one click', async () => {
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
    assert.match(text, /in 1 other place/);
    assert.equal(text.match(/This one/g)?.length, 1);
    const done = await here.fill(await here.get('/account'), '/account/sessions/close-others');
    assert.equal(done.location, '/account?done=sessions');
    assert.deepEqual(
      [await isSignedIn(here), await isSignedIn(elsewhere), await isSignedIn(stranger)],
      [true, false, true],
    );
    assert.match((await here.get('/account')).text, /here and nowhere else/);
  });

  test('a sign-in is noted once it is complete, not before its code', async () => {
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
