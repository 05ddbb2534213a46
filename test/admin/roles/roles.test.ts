import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin, type Visitor } from '../start-admin.ts';

const admin = await startAdmin();
const [root, escrow, viewer, parent] = await admin.people('root', 'escrow', 'viewer', 'parent');

const pathOf = async (name: string) =>
  new RegExp(`href="(/roles/\\d+)">${name}<`).exec((await root.get('/roles')).text)?.[1] ?? '';
const [administrator, specialist, viewing] = await Promise.all(['Administrator', 'Escrow Specialist', 'Viewer'].map(pathOf));
const ticked = (text: string) => [...text.matchAll(/value="([a-z_]+)" checked/g)].map(([, value = '']) => value);

/** Sends the form of a role's page with these boxes ticked. */
async function tick(visitor: Visitor, role = '', permissions: string[] = []) {
  return visitor.fill(await visitor.get(role), `${role}/permissions`, { permissions });
}

test('[ROLE-4] a role is created, renamed, ticked, and deleted on its pages', async () => {
  const created = await root.fill(await root.get('/roles'), '/roles', { name: 'Front desk' });
  assert.equal(created.status, 303);
  const path = (created.location ?? '').split('?', 1)[0] ?? '';
  assert.match((await root.get(created.location ?? '')).text, /The role was added/);
  assert.deepEqual(ticked((await root.get(path)).text), []);
  assert.equal((await tick(root, path, ['view_users'])).status, 303);
  assert.equal((await tick(root, path, ['view_users', 'view_agencies'])).status, 303);
  const page = await root.get(path);
  assert.deepEqual(ticked(page.text).sort(), ['view_agencies', 'view_users']);
  for (const category of ['Case', 'Banking', 'Disbursements', 'Payments', 'Messaging', 'Users', 'Administration'])
    assert.match(page.text, new RegExp(`<legend>${category}</legend>`));
  const renamed = await root.fill(page, `${path}/name`, { name: 'Reception' });
  assert.equal(renamed.location, `${path}?done=renamed`);
  assert.match((await root.get('/roles')).text, /Reception<\/a>[\s\S]*?Nobody[\s\S]*?2 permissions/);
  const last = await root.get(path);
  assert.match(last.text, /Delete “Reception”\?/);
  assert.equal((await root.fill(last, `${path}/delete`)).location, '/roles?done=deleted');
  assert.equal((await root.get(path)).status, 404);
  assert.equal((await root.post(`${path}/permissions`, { permissions: 'view_users' })).status, 404);
});

test('[ROLE-3] a permission that is added or removed works on the next request of everyone with the role', async () => {
  assert.match((await escrow.get('/')).text, /href="\/messages"/);
  assert.equal((await escrow.get('/messages/unread-badge')).status, 200);
  const before = ticked((await root.get(specialist ?? '')).text);
  assert.ok(before.includes('view_messages'));
  await tick(
    root,
    specialist,
    before.filter((value) => value !== 'view_messages'),
  );
  assert.doesNotMatch((await escrow.get('/')).text, /href="\/messages"/);
  assert.equal((await escrow.post('/messages', { message: 'Hello' })).status, 403);
  await tick(root, specialist, before);
  assert.match((await escrow.get('/')).text, /href="\/messages"/);
  assert.notEqual((await escrow.post('/messages', { message: '' })).status, 403);
});

test('[ROLE-2] a migration can assign a permission: it works on the next request', async () => {
  assert.doesNotMatch((await viewer.get('/roles')).text, /Add a role/);
  assert.equal((await viewer.post('/roles', { name: 'Mine' })).status, 403);
  const grant = `insert into admin_role_permission (admin_role_id, permission)
                 select id, 'manage_roles' from admin_role where name = 'Viewer'`;
  await admin.pool.query(grant);
  assert.match((await viewer.get('/roles')).text, /Add a role/);
  assert.equal((await viewer.post('/roles', { name: 'Mine' })).status, 303);
  await admin.pool.query(`delete from admin_role_permission where permission = 'manage_roles'
                             and admin_role_id = (select id from admin_role where name = 'Viewer')`);
  assert.equal((await viewer.post('/roles', { name: 'Mine too' })).status, 403);
});

test('[GUARD-9] an admin who may not manage roles sees them, without a single control', async () => {
  for (const path of ['/roles', viewing ?? '']) {
    const page = await viewer.get(path);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /action="\/roles|type="checkbox"|Delete this role/, path);
    assert.equal((await parent.get(path)).status, 403);
  }
  assert.match((await root.get(viewing ?? '')).text, /action="\/roles[\s\S]*type="checkbox"/);
  assert.match((await viewer.get(viewing ?? '')).text, /See case details/);
  assert.doesNotMatch((await viewer.get('/')).text, /href="\/roles"/);
  for (const path of ['/name', '/permissions', '/delete'])
    assert.equal((await viewer.post(`${viewing}${path}`, { name: 'x' })).status, 403);
  assert.deepEqual(ticked((await root.get(viewing ?? '')).text), ['view_case_details'], 'nothing was changed');
});

test('[ROLE-5] a change of a role that someone else has changed is a 409 that shows its current state', async () => {
  const [first, second] = [await root.get(viewing ?? ''), await root.get(viewing ?? '')];
  const permissions = ['view_case_details', 'view_agencies'];
  assert.equal((await root.fill(first, `${viewing}/permissions`, { permissions })).status, 303);
  const late = await root.fill(second, `${viewing}/permissions`, { permissions: ['view_users'] });
  assert.equal(late.status, 409);
  assert.match(late.text, /Someone else changed this role/);
  assert.deepEqual(ticked(late.text).sort(), [...permissions].sort());
  assert.equal((await root.fill(second, `${viewing}/name`, { name: 'Onlooker' })).status, 409);
  const again = await root.fill(late, `${viewing}/permissions`, { permissions: ['view_case_details'] });
  assert.equal(again.status, 303);
});

test('[ROLE-4, PAGE-2] invalid names, and those of another role, come back with the reason', async () => {
  for (const [name, status] of [
    ['', 422],
    ['   ', 422],
    ['x'.repeat(101), 422],
    ['ADMINISTRATOR', 409],
  ] as const) {
    const page = await root.post('/roles', { name });
    assert.equal(page.status, status, name);
    assert.match(page.text, /role="alert"/);
  }
  assert.equal((await root.post('/roles', { name: 'x'.repeat(3000) })).status, 422);
  assert.equal((await root.fill(await root.get(viewing ?? ''), `${viewing}/name`, { name: 'finance' })).status, 409);
  const script = await root.post('/roles', { name: '<script>alert(1)</script>' });
  assert.doesNotMatch((await root.get(script.location ?? '')).text, /<script>alert/);
});

test('[ROLE-4] a value that is not a permission is a 422, and nothing is saved', async () => {
  const before = ticked((await root.get(viewing ?? '')).text);
  assert.equal((await tick(root, viewing, ['view_users', 'become_king'])).status, 422);
  const many = Array.from({ length: 500 }, (_, position) => `permission_${position}`);
  assert.equal((await tick(root, viewing, many)).status, 422);
  assert.deepEqual(ticked((await root.get(viewing ?? '')).text), before);
  for (const path of ['/roles/0', '/roles/abc', '/roles/999999999999999999', '/roles/4242'])
    assert.equal((await root.get(path)).status, 404, path);
});

test('[ROLE-4] a role that someone has is not deleted, and the page names who has it', async () => {
  const page = await root.get(specialist ?? '');
  assert.match(page.text, /href="\/users\/\d+"/);
  assert.doesNotMatch(page.text, /Delete this role/);
  const { location } = await root.post('/roles', { name: 'Of nobody yet' });
  assert.match((await root.get(location ?? '')).text, /Delete this role/);
  const refused = await root.post(`${specialist}/delete`);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Elena Marsh still has this role|still have this role/);
});

test('[ROLE-6] the last admin who manages roles cannot lose that permission, invited and deactivated ones aside', async () => {
  await admin.pool.query(`with keys as (insert into admin_role (name) values ('Keys') returning id),
    rights as (insert into admin_role_permission select id, 'manage_roles' from keys)
    insert into user_account (email_address, user_type, first_name, last_name, status, admin_role_id)
    select status || '@demo.test', 'admin', 'x', 'x', status, id from keys, unnest(array['invited', 'deactivated']) status`);
  const before = ticked((await root.get(administrator ?? '')).text);
  const refused = await tick(
    root,
    administrator,
    before.filter((value) => value !== 'manage_roles'),
  );
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Someone has to be able to manage roles/);
  assert.ok(ticked((await root.get(administrator ?? '')).text).includes('manage_roles'));
});
