import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO_PEOPLE } from '@case-platform/words/sign-in/demo-people';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { startAdmin } from '../start-admin.ts';

const MINUTE = 60_000;
let passed = 0;
const admin = await startAdmin({ now: () => new Date(Date.now() + passed) });

const isSignedIn = async (visitor: { get(path: string): Promise<{ status: number }> }) => (await visitor.get('/')).status === 200;

test('[SIGN-IN-9] email, password, and type of a valid account open a session', async () => {
  const { rows: before } = await admin.pool.query('select id_hash from admin_session');
  const visitor = admin.visitor();
  const page = await visitor.submit('/login', {
    email: ' Escrow@demo.test',
    password: DEMO_PASSWORD,
    user_type: 'admin',
    next: '/messages?show=unread',
  });
  assert.deepEqual([page.status, page.location], [303, '/messages?show=unread']);
  const cookie = page.headers.getSetCookie().find((value) => value.startsWith('case_session=')) ?? '';
  assert.match(cookie, /; Path=\/;/);
  assert.match(cookie, /HttpOnly/);
  assert.match(cookie, /SameSite=Lax/);
  const { rows } = await admin.pool.query(
    `select s.user_type, u.email_address from admin_session s join user_account u on u.id = s.user_id
      where s.id_hash <> all($1)`,
    [before.map(({ id_hash }) => id_hash)],
  );
  assert.deepEqual(rows, [{ user_type: 'admin', email_address: 'escrow@demo.test' }]);
});

test('[SIGN-IN-9] the type is admin when the form does not name it', async () => {
  const page = await admin.visitor().submit('/login', { email: 'root@demo.test', password: DEMO_PASSWORD });
  assert.equal(page.status, 303);
});

test('[LAYER-2] the same email with another type is another account', async () => {
  const email = 'both@demo.test';
  assert.equal((await admin.visitor().signIn(email, 'Demo-Parent-1!', 'ip')).status, 303);
  assert.equal((await admin.visitor().signIn(email, 'Demo-Surrogate-1!', 'surrogate')).status, 303);
  assert.equal((await admin.visitor().signIn(email, 'Demo-Parent-1!', 'surrogate')).status, 401);
  assert.equal((await admin.visitor().signIn(email, 'Demo-Parent-1!', 'admin')).status, 401);
});

test('[SIGN-IN-3] a wrong password and an unknown account get the same answer and no session', async () => {
  const words = async (email: string) => {
    const visitor = admin.visitor();
    const page = await visitor.submit('/login', { email, password: 'wrong', user_type: 'admin' });
    assert.equal(page.status, 401);
    assert.equal(visitor.cookies.has('case_session'), false);
    return page.text.replaceAll(email, '').replace(/name="_csrf" value="[^"]+"/, '');
  };
  assert.equal(await words('escrow@demo.test'), await words('nobody@demo.test'));
});

test('[SESSION-1] signing in creates a new session and ends the previous one', async () => {
  const visitor = await admin.as('escrow');
  const before = visitor.cookies.get('case_session') ?? '';
  await visitor.signIn('root@demo.test', DEMO_PASSWORD);
  assert.notEqual(visitor.cookies.get('case_session'), before);
  const stale = admin.visitor();
  stale.cookies.set('case_session', before);
  assert.equal(await isSignedIn(stale), false);
});

test('[SESSION-1] a session id that someone else chose is not used', async () => {
  const visitor = admin.visitor();
  visitor.cookies.set('case_session', 'chosen-by-somebody-else');
  assert.equal(await isSignedIn(visitor), false);
  await visitor.signIn('escrow@demo.test', DEMO_PASSWORD);
  assert.notEqual(visitor.cookies.get('case_session'), 'chosen-by-somebody-else');
  assert.equal(await isSignedIn(visitor), true);
  const other = admin.visitor();
  other.cookies.set('case_session', 'chosen-by-somebody-else');
  assert.equal(await isSignedIn(other), false, 'nor does it open anything now');
});

test('[SESSION-3] signing out destroys the session on the server', async () => {
  const visitor = await admin.as('escrow');
  const stale = admin.visitor();
  stale.cookies.set('case_session', visitor.cookies.get('case_session') ?? '');
  const page = await visitor.post('/logout');
  assert.deepEqual([page.status, page.location], [303, '/login']);
  assert.equal(visitor.cookies.has('case_session'), false);
  assert.equal(await isSignedIn(stale), false);
});

test('[SIGN-IN-8] a session that still exists is rejected while its account is deactivated', async () => {
  const visitor = await admin.as('finance');
  const set = (status: string) =>
    admin.pool.query("update user_account set status = $1 where email_address = 'finance@demo.test'", [status]);
  assert.equal(await isSignedIn(visitor), true);
  await set('deactivated');
  assert.equal(await isSignedIn(visitor), false);
  await set('active');
  assert.equal(await isSignedIn(visitor), true, 'only the account had ended it');
});

test('[SESSION-2] 60 idle minutes end a session; use renews them', async () => {
  const visitor = await admin.as('escrow');
  passed += 59 * MINUTE;
  assert.equal(await isSignedIn(visitor), true);
  passed += 59 * MINUTE;
  assert.equal(await isSignedIn(visitor), true);
  passed += 60 * MINUTE;
  assert.equal(await isSignedIn(visitor), false);
});

test('[SESSION-2] even an active session ends after 12 hours', async () => {
  const visitor = await admin.as('escrow');
  for (let halfHours = 0; halfHours < 23; halfHours += 1) {
    passed += 30 * MINUTE;
    assert.equal(await isSignedIn(visitor), true);
  }
  passed += 31 * MINUTE;
  assert.equal(await isSignedIn(visitor), false);
});

test('[SESSION-2] requests that a page makes by itself do not keep a session alive', async () => {
  const visitor = await admin.as('escrow');
  for (const minutes of [20, 20, 19]) {
    passed += minutes * MINUTE;
    const poll = await visitor.get('/messages/unread-badge', { 'x-background': '1', 'hx-request': 'true' });
    assert.equal(poll.status, 200);
  }
  passed += 2 * MINUTE;
  assert.equal((await visitor.get('/messages/unread-badge', { 'x-background': '1' })).status, 401);
});

test('[SIGN-IN-10] signing in leads no one to another site', async () => {
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)']) {
    const page = await admin
      .visitor()
      .submit('/login', { email: 'escrow@demo.test', password: DEMO_PASSWORD, user_type: 'admin', next });
    assert.equal(page.location, '/', next);
  }
});

test('[SESSION-4] a form from a page of another site signs no one in or out', async () => {
  const fields = { email: 'escrow@demo.test', password: DEMO_PASSWORD, user_type: 'admin' };
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  assert.equal((await admin.visitor().submit('/login', fields, foreign)).status, 403);
  const visitor = await admin.as('escrow');
  assert.equal((await visitor.post('/logout', {}, foreign)).status, 403);
  assert.equal((await visitor.submit('/logout', {})).status, 403);
  assert.equal((await visitor.submit('/logout', { _csrf: 'guessed' })).status, 403);
  assert.equal(await isSignedIn(visitor), true);
});

test('[SESSION-4] the sign-in form carries a token that belongs to the browser', async () => {
  const fields = { email: 'escrow@demo.test', password: DEMO_PASSWORD, user_type: 'admin' };
  const own = { 'sec-fetch-site': 'same-origin' };
  const visitor = admin.visitor();
  const cookie = (await visitor.get('/login')).headers.getSetCookie().join();
  assert.match(cookie, /case_form=[\w-]{32}; Path=\/login; HttpOnly; SameSite=Lax/);
  for (const sent of [fields, { ...fields, _csrf: 'guessed' }, { ...fields, _csrf: '' }]) {
    const refused = await visitor.submit('/login', sent, own);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /open too long/);
    assert.equal(visitor.cookies.has('case_session'), false);
  }
  assert.equal((await admin.visitor().submit('/login', fields, own)).status, 403, 'a browser without the cookie');
  assert.equal((await visitor.fill(await visitor.get('/login'), '/login', fields)).status, 303);
  assert.equal(visitor.cookies.has('case_form'), false, 'the session has a token of its own');
});

test('[DEMO-4] the sign-in page offers the demo’s staff only if the platform says that they exist', async () => {
  assert.doesNotMatch((await admin.visitor().get('/login')).text, /demo-person/);
  const demo = await startAdmin({ config: { offersDemoPeople: true }, database: admin });
  const { text } = await demo.visitor().get('/login');
  for (const { name, email_address, password, user_type, sentence } of DEMO_PEOPLE) {
    assert.equal(text.includes(sentence), user_type === 'admin', name);
    assert.equal((await demo.visitor().signIn(email_address, password, user_type)).status, 303, name);
  }
});

test('[SIGN-IN-4] after ten failed sign-ins in 15 minutes the form says how long to wait, with 429 and Retry-After', async () => {
  const guess = () => admin.visitor().submit('/login', { email: 'viewer@demo.test', password: 'wrong' });
  for (let tries = 0; tries < 10; tries += 1) assert.equal((await guess()).status, 401);
  const page = await guess();
  assert.equal(page.status, 429);
  assert.ok(Number(page.headers.get('retry-after')) > 0);
  assert.match(page.text, /Wait \d+ minutes and try again/);
  assert.match(page.text, /action="\/login"/);
});

test('[PASSWORD-6, EDGE-6] the link for forgotten passwords leads to the web frontend, whatever the host of the request', async () => {
  const page = await admin.visitor().get('/login', { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' });
  assert.match(page.text, /href="http:\/\/localhost:3000\/password-reset\?role=admin"/);
  assert.doesNotMatch(page.text, /evil/);
});

test('[SIGN-IN-12, GUARD-12] every type of user may sign in and gets a home that fits', async () => {
  for (const name of ['parent', 'surrogate', 'manager', 'owner', 'rep'] as const) {
    const visitor = await admin.as(name);
    const home = await visitor.get('/');
    assert.equal(home.status, 200, name);
    assert.match(home.text, /http:\/\/localhost:3000\/login\?role&#61;\w+&#38;callbackUrl&#61;%2Fmessages"/);
    assert.doesNotMatch(home.text, /href="\/deliveries"/);
    assert.equal((await visitor.get('/messages')).status, 403, name);
  }
});

test('[SIGN-IN-9] the role that signed in is remembered for the next time', async () => {
  const visitor = admin.visitor();
  await visitor.signIn('surrogate@demo.test', DEMO_PASSWORD, 'surrogate');
  await visitor.post('/logout');
  assert.match((await visitor.get('/login')).text, /value="surrogate" selected/);
});

test('[ERROR-5] odd input to the sign-in form is rejected, never a fault', async () => {
  const good = { email: 'escrow@demo.test', password: DEMO_PASSWORD, user_type: 'admin' };
  const odd = [
    {},
    { ...good, user_type: 'intended_parent' },
    { ...good, email: ['a@demo.test', 'b@demo.test'] },
    { ...good, password: 'x'.repeat(1_000_000) },
    { ...good, email: 'a\0b@demo.test' },
    { ...good, email: 'x'.repeat(900) },
    { ...good, next: 'x'.repeat(5000) },
  ];
  for (const fields of odd) {
    const { status } = await admin.visitor().submit('/login', fields);
    assert.ok(status >= 400 && status < 500, `${status}`);
  }
});

test('[SIGN-IN-14, SIGN-IN-15] a failed sign-in names the role, and the page leads everyone else to the web frontend', async () => {
  const visitor = admin.visitor();
  const page = await visitor.submit('/login', { email: 'both@demo.test', password: 'wrong', user_type: 'ip' });
  assert.match(page.text, /We couldn’t sign you in as an intended parent/);
  assert.match(page.text, /href="http:\/\/localhost:3000\/login"/);
});
