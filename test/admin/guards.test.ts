import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { formatRoutes } from '@case-platform/lib/http-server';
import { listCatalogue } from '@case-platform/modules/accounts';
import { startAdmin, type TestAdmin } from './start-admin.ts';

const admin = await startAdmin();
const [root, viewer, parent] = [await admin.as('root'), await admin.as('viewer'), await admin.as('parent')];
const routes = admin.guardedRoutes.map((route) => ({ ...route, path: route.url.replaceAll(/:\w+/g, '1') }));
const pages = routes.filter(({ guard }) => guard.startsWith('pageGuard'));
const forScripts = routes.filter(({ guard }) => guard.startsWith('apiGuard'));

test('[GUARD-1, RATE-2, SESSION-2] routes.txt has the guard of each route, and what else it declares', async () => {
  const committed = await readFile(new URL('../../apps/admin/routes.txt', import.meta.url), 'utf8');
  assert.equal(committed, formatRoutes(admin));
});

test('[GUARD-3] a page leads visitors without a session to the sign-in page and back, and a form to the start', async () => {
  for (const [method, path, next] of [
    ['GET', '/cases?q=a', '/cases?q=a'],
    ['POST', '/account/password', '/'],
  ] as const) {
    const page = await admin.visitor().call(method, path);
    assert.deepEqual([page.status, page.location], [method === 'GET' ? 302 : 303, `/login?next=${encodeURIComponent(next)}`]);
  }
});

// The access of everyone to each route is in guard-matrix.txt.
test('[GUARD-4] a call of a script aborts with a status and never a redirect, whatever it accepts', async () => {
  for (const accept of ['text/html', 'application/json', '*/*']) {
    assert.equal((await admin.visitor().call('POST', '/messages/1/viewed', { headers: { accept } })).status, 401);
    // A user without an admin context is rejected whatever their type.
    assert.equal((await parent.call('POST', '/messages/1/viewed', { headers: { accept } })).status, 403);
  }
});

for (const { method, path } of [...pages, ...forScripts].filter((route) => route.method === 'POST')) {
  test(`[SESSION-4] ${method} ${path} without the form's token changes nothing`, async () => {
    const message = { up_to_message_id: '1', case_id: '1', message: 'A message', writing: 'reply' };
    const chain = { admin_id: '1', status: 'open' };
    const file = { filename: 'contract.pdf', size: '1', file_key: 'pending/1' };
    const fields = {
      ...message,
      ...chain,
      ...file,
      method: 'email',
      code: '000000',
      current_password: 'x',
      new_password: 'x',
    };
    const escrow = await admin.as('escrow');
    assert.equal((await escrow.submit(path, fields)).status, 403);
  });
}

test('[GUARD-5] STRICT_PAGE_GUARD closes pages to admins without the permission', async () => {
  const strict = await startAdmin({ config: { strictPageGuard: true } });
  assert.equal((await (await strict.as('viewer')).get('/deliveries')).status, 403);
  assert.equal((await (await strict.as('viewer')).get('/cases/1')).status, 403);
  assert.equal((await (await strict.as('root')).get('/deliveries')).status, 200);
});

/** Gives the viewer's role exactly these permissions. */
async function grant(app: TestAdmin, permissions: string[]): Promise<void> {
  const role = `(select admin_role_id from user_account where email_address = 'viewer@demo.test')`;
  await app.pool.query(`delete from admin_role_permission where admin_role_id = ${role}`);
  await app.pool.query(`insert into admin_role_permission select ${role}, unnest($1::text[])`, [permissions]);
}

/** Pages that are closed to admins for whom the guard's check fails. On other pages only parts are hidden. */
const CLOSING = [
  '/access',
  '/audit',
  '/audit/1',
  '/bank-accounts/1',
  '/batches/bank',
  '/batches/new',
  '/batches/returns',
  '/batches/returns/1',
  '/cases/1/disbursements/new',
  '/cases/1/edit',
  '/cases/1/proofs',
  '/cases/new',
  '/disbursements',
  '/disbursements/1',
  '/disbursements/1/edit',
  '/messages',
  '/messages/1',
  '/messages/new',
  '/payments',
  '/users/1/edit',
  '/users/new',
];
/** Returns the addresses of a page's POST forms. */
const sendsTo = (text: string) =>
  [...text.matchAll(/<form[^>]* method="post"[^>]*>/g)].map(([tag]) => /action="([^"]*)"/.exec(tag)?.[1] ?? '');

test('[GUARD-7] a page closes exactly where its guard’s check fails, permission by permission', async () => {
  const own = await startAdmin();
  await own.pool.query(
    "insert into case_admin (case_id, user_id) select 1, id from user_account where email_address = 'viewer@demo.test'",
  );
  await own.pool.query(
    `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
     select 1, 100, 'Travel', 'Train', id, id from user_account where email_address = 'surrogate@demo.test'`,
  );
  const member = await own.as('viewer');
  const isClosed = async (path: string) => (await member.get(path)).text.includes('data-closed');
  await grant(own, []);
  const closing: typeof pages = [];
  for (const page of pages.filter(({ method }) => method === 'GET')) {
    const { text } = await member.get(page.path);
    if (text.includes('data-closed')) closing.push(page);
    const forms = sendsTo(text).filter((action) => !/^\/(logout|account)/.test(action));
    assert.deepEqual(forms, [], `a form on ${page.path} that the role has no permission for`);
  }
  assert.deepEqual(closing.map(({ path }) => path).sort(), CLOSING);
  const all = listCatalogue().map(({ value }) => value);
  for (const { path, guard } of closing) {
    const checked: string[] = /perm_check: ([\w ]+)/.exec(guard)?.[1]?.split(' ') ?? [];
    await grant(
      own,
      all.filter((value) => !checked.includes(value)),
    );
    assert.equal(await isClosed(path), true, `${path} with all others`);
    for (const value of checked) {
      await grant(own, [value]);
      assert.equal(await isClosed(path), false, `${path} with ${value}`);
    }
  }
});

test('[SHOWN-2, GUARD-7] a page of a case closes to a role that includes it, off the team of the case', async () => {
  const own = await startAdmin();
  await grant(own, ['create_drs', 'edit_drs']);
  const member = await own.as('viewer');
  for (const path of ['/cases/1/disbursements/new', '/disbursements/1/edit'])
    assert.match((await member.get(path)).text, /data-closed/, path);
});

test('[GUARD-2] category_check: any one permission of the category, and none of another', async () => {
  const strict = await startAdmin({ config: { strictPageGuard: true } });
  const member = await strict.as('viewer');
  for (const { category, value } of listCatalogue()) {
    await grant(strict, [value]);
    for (const path of ['/agencies', '/agencies/1']) {
      assert.equal((await member.get(path)).status, category === 'Agencies' ? 200 : 302, `${value} at ${path}`);
    }
  }
});

test('[GUARD-2] redirect_to: a person who is signed in and fails the check is redirected there and reads why', async () => {
  const led = await parent.get('/agencies/1');
  assert.deepEqual([led.status, led.location], [302, '/']);
  assert.match((await parent.get('/')).text, /This application is for escrow staff/);
  assert.equal((await admin.visitor().get('/agencies/1')).location, '/login?next=%2Fagencies%2F1');
  // A page whose guard has no redirect_to answers 403.
  assert.equal((await parent.get('/roles')).status, 403);
});

test('[GUARD-9] links to actions that a role may not take are hidden', async () => {
  assert.match((await root.get('/')).text, /href="\/deliveries"/);
  const page = await viewer.get('/');
  assert.doesNotMatch(page.text, /href="\/deliveries"/);
  assert.doesNotMatch(page.text, /href="\/messages\/new"/);
  assert.match(page.text, /href="\/cases"/);
});

test('[EDGE-4] every answer keeps the browser to our own pages', async () => {
  for (const page of [await root.get('/'), await root.get('/nowhere'), await admin.visitor().get('/messages')]) {
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
  }
  const production = await startAdmin({ config: { production: true } });
  const page = await production.visitor().get('/login');
  assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=31536000/);
  const signedIn = await production.visitor().signIn('root@demo.test', 'Demo-Passw0rd!');
  assert.match(signedIn.headers.getSetCookie().join(), /__Host-case_session=[^;]+; Path=\/; HttpOnly; Secure/);
});

test('[ERROR-5] an address or filter that makes no sense gets a friendly page, never a fault', async () => {
  const expected: [string, number][] = [
    ['/nowhere', 404],
    ['/messages/abc', 404],
    ['/messages/999999999', 404],
    ['/messages/99999999999999999999', 404],
    ['/messages/0', 404],
    ['/cases/-1', 404],
    ['/cases/1e3', 404],
    ['/deliveries/1', 404],
    ['/messages?status=gone', 422],
    ['/messages?cursor=abc', 422],
    ['/messages?q=a&q=b', 422],
    [`/messages?q=${'x'.repeat(201)}`, 422],
    ['/messages?q=%00', 200],
    ['/messages?show=&status=&q=', 200],
    ['/messages?q=%22unclosed%20%26%20%7C%20!', 200],
    ['/cases?status=nothing', 422],
    ['/cases?cursor=e30', 422],
    ['/deliveries?before=0', 422],
    ['/deliveries?channel=pigeon', 422],
    ['/deliveries?channel=&state=', 200],
    ['/public/x/app.css', 404],
    ['/public/..%2f..%2fmain.ts/x', 404],
    ['/%', 404],
  ];
  for (const [path, status] of expected) {
    const page = await root.get(path);
    assert.equal(page.status, status, path);
    assert.match(page.headers.get('content-type') ?? '', /text\/html/, path);
    if (status !== 200) assert.match(page.text, /Reference <span class="mono">[0-9a-f-]{36}/, path);
  }
});

/** The changes without an API guard, and the reason (GUARD-6). */
const OPEN_TO_CHANGE: Record<string, 'signing in' | 'one’s own account'> = {
  'POST /login': 'signing in',
  'POST /login/otp': 'signing in',
  'POST /login/otp/resend': 'signing in',
  'POST /logout': 'one’s own account',
  'POST /account/confirm': 'one’s own account',
  'POST /account/password': 'one’s own account',
  'POST /account/sessions/close-others': 'one’s own account',
  'POST /account/two-factor': 'one’s own account',
  'POST /account/two-factor/confirm': 'one’s own account',
  'POST /account/two-factor/off': 'one’s own account',
};

test('[GUARD-6] every change has an API guard, except signing in and one’s own account', () => {
  const changing = routes.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  assert.ok(changing.length > 60);
  const others = changing.filter(({ guard }) => !guard.startsWith('apiGuard('));
  assert.deepEqual(others.map(({ method, url }) => `${method} ${url}`).sort(), Object.keys(OPEN_TO_CHANGE).sort());
  for (const { method, url, guard } of others) {
    // A page guard admits admins even when its check fails, so these routes must have no check.
    const own = 'pageGuard(user_types: admin surrogate cm owner ip ip_rep)';
    const expected = OPEN_TO_CHANGE[`${method} ${url}`] === 'signing in' ? /^publicRoute\(/ : own;
    if (typeof expected === 'string') assert.equal(guard, expected, url);
    else assert.match(guard, expected, url);
  }
});

test('[SESSION-1] in production every cookie has a name that only this host can set, and works', async () => {
  const production = await startAdmin({ config: { production: true } });
  const visitor = production.visitor();
  const form = await visitor.get('/login');
  const fields = { email: 'root@demo.test', password: 'Demo-Passw0rd!', user_type: 'admin' };
  const signedIn = await visitor.fill(form, '/login', fields);
  const set = [form, signedIn].flatMap(({ headers }) => headers.getSetCookie());
  const names = ['case-staff-role', 'case_challenge', 'case_form', 'case_session'].map((name) => `__Host-${name}`);
  assert.deepEqual([...new Set(set.map((cookie) => cookie.split('=', 1)[0]))].sort(), names);
  for (const cookie of set) {
    assert.match(cookie, /; Path=\/; (Expires=[^;]+; )?HttpOnly; Secure; SameSite=Lax$/);
    assert.doesNotMatch(cookie, /; Domain=/i);
  }
  assert.equal((await visitor.get('/account')).status, 200);

  const planted = production.visitor();
  planted.cookies.set('case_session', visitor.cookies.get('__Host-case_session') ?? '');
  assert.equal((await planted.get('/account')).location, '/login?next=%2Faccount');
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await visitor.get('/account')).text)?.[1] ?? '';
  assert.equal((await visitor.submit('/logout', { _csrf: csrf })).location, '/login');
  assert.equal(visitor.cookies.has('__Host-case_session'), false);
});
