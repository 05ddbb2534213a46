import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Page, roleChoice } from '../start-admin.ts';
import { PeopleDesk } from './people-desk.ts';

/** A role is granted only if the role and the person are still as the granting admin saw them (ROLE-12). */

const people = await PeopleDesk.start(() => new Date());
const { admin, api, root } = people;
const other = await admin.as('root');
const viewerRole = await people.roleId('Viewer');
const deskRole = await people.roleId('People desk');
const id = await people.idOf('escrow');
const PATH = `/users/${id}/role`;
const NEW = { user_type: 'admin', first_name: 'Kept', last_name: 'Person', phone: '', agency_id: '' };

const roleNow = async () => (await people.recordOf(id)).admin_role_id;
const choose = (page: Page, role: number | '') => root.fill(page, PATH, { admin_role_id: roleChoice(page, role) });
/** Adds permissions to the Viewer role that move no money, so they count at once, and that no other test removes. */
const MORE = ['view_agencies', 'view_audit_log', 'view_deliveries', 'edit_agencies'];
async function allowMore(): Promise<void> {
  const { rows } = await api.pool.query('select permission from admin_role_permission where admin_role_id = $1', [viewerRole]);
  const held = rows.map(({ permission }) => permission);
  const permissions = [...held, MORE.find((permission) => !held.includes(permission)) ?? ''];
  const path = `/roles/${viewerRole}/permissions`;
  const done = await other.fill(await other.get(`/roles/${viewerRole}`), path, { permissions });
  assert.equal(done.location, `/roles/${viewerRole}?done=permissions`);
}

beforeEach(async () => {
  await api.pool.query('update user_account set admin_role_id = null where id = $1', [id]);
});

describe('giving a role', () => {
  test('[ROLE-12] a role that someone changed meanwhile is not granted, and the second try grants it as it is now', async () => {
    const page = await root.get(`/users/${id}`);
    await allowMore();
    const before = await people.written();
    const refused = await choose(page, viewerRole);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Someone else changed the role “Viewer” while you had this open/);
    assert.deepEqual([await roleNow(), await people.written()], [null, before]);
    assert.equal((await choose(refused, viewerRole)).location, `/users/${id}?done=role`);
    assert.equal(await roleNow(), viewerRole);
  });

  test('[ROLE-12] granting or removing the role of someone who got another one meanwhile is rejected', async () => {
    const page = await root.get(`/users/${id}`);
    assert.equal((await other.giveRole(id, deskRole)).status, 303);
    const refused = await choose(page, viewerRole);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Someone else changed this person’s role while you had it open/);
    assert.equal(await roleNow(), deskRole);
    const shown = await root.get(`/users/${id}`);
    assert.equal((await other.giveRole(id, viewerRole)).status, 303);
    assert.equal((await choose(shown, '')).status, 409);
    assert.equal(await roleNow(), viewerRole);
    assert.equal((await choose(await root.get(`/users/${id}`), '')).status, 303);
    assert.equal(await roleNow(), null);
  });

  test('[ROLE-12] a grant does not silently replace one that someone else requested meanwhile', async () => {
    const page = await root.get(`/users/${id}`);
    await api.pool.query(
      `insert into role_grant (admin_role_id, user_id, asked_by)
       select r.id, $1, $2 from admin_role r where r.name = 'Finance'`,
      [id, await people.idOf('totpAdmin')],
    );
    const waits = async () => (await people.one<{ status: string }>('select status from role_grant')).status;
    const refused = await choose(page, viewerRole);
    assert.deepEqual([refused.status, await waits()], [409, 'waiting']);
    assert.equal((await choose(refused, viewerRole)).status, 303);
    assert.equal(await waits(), 'refused');
  });

  test('[ROLE-12] a grant that does not say what was seen is rejected', async () => {
    const page = await root.get(`/users/${id}`);
    for (const fields of [{ admin_role_id: `${viewerRole}` }, { admin_role_id: roleChoice(page, viewerRole) }])
      assert.equal((await root.post(PATH, fields)).status, 409, JSON.stringify(fields));
    const bare = { ...NEW, email_address: 'bare@demo.test', admin_role_id: `${viewerRole}` };
    assert.equal((await root.post('/users', bare)).status, 409);
    assert.equal(await roleNow(), null);
  });
});

test('[ROLE-12, PAGE-2] an invitation with a role that someone changed meanwhile is rejected, and keeps what was typed', async () => {
  const form = await root.get('/users/new');
  const fields = { ...NEW, email_address: 'seen@demo.test' };
  await allowMore();
  const before = await people.written();
  const refused = await root.fill(form, '/users', { ...fields, admin_role_id: roleChoice(form, viewerRole) });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Someone else changed the role “Viewer” while you had this open/);
  assert.match(refused.text, /value="seen@demo.test"/);
  assert.deepEqual(await people.written(), before);
  const again = await root.fill(refused, '/users', { ...fields, admin_role_id: roleChoice(refused, viewerRole) });
  assert.match(again.location ?? '', /\?done=invited$/);
});
