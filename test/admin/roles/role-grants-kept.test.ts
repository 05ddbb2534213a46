import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { startApi } from '../../support/platform.ts';
import { type Page, startAdmin, type Visitor } from '../start-admin.ts';

/** A role with a waiting grant cannot be deleted (ROLE-4, ROLE-7). */

const api = await startApi();
const admin = await startAdmin({ database: api });
const { pool } = api;
const rowsOf = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;
const idOf = async (email: string): Promise<number> =>
  Number((await rowsOf(`select id from user_account where email_address = $1 and user_type = 'admin'`, [email]))[0].id);
const roleOf = async (name: string): Promise<number> =>
  Number((await rowsOf('select id from admin_role where name = $1', [name]))[0].id);
const setRole = (email: string, role: string) =>
  rowsOf(
    `update user_account set admin_role_id = (select id from admin_role where name = $2)
      where email_address = $1 and user_type = 'admin'`,
    [email, role],
  );
await rowsOf(`insert into admin_role (name) values ('Managers'), ('Desk'), ('Empty')`);
await rowsOf(
  `insert into admin_role_permission
   select r.id, p from admin_role r, unnest(array['manage_roles', 'view_users', 'edit_users']) p where r.name = 'Managers'
   union all select id, 'view_users' from admin_role where name = 'Desk'`,
);
await setRole('finance@demo.test', 'Administrator');
await setRole('escrow@demo.test', 'Managers');
const [root, second] = (await Promise.all((['root', 'finance'] as const).map((name) => admin.as(name)))) as [
  Visitor,
  Visitor,
  Visitor,
  Visitor,
];
const [rootId, secondId, viewerId] = [
  await idOf('root@demo.test'),
  await idOf('finance@demo.test'),
  await idOf('viewer@demo.test'),
];
const [FINANCE, DESK, EMPTY] = [await roleOf('Finance'), await roleOf('Desk'), await roleOf('Empty')];

const give = (role: number | '', to = viewerId, who = root) => who.giveRole(to, role);
const allow = async (role: number, permissions: string[], who = root) =>
  who.fill(await who.get(`/roles/${role}`), `/roles/${role}/permissions`, { permissions });
const formOf = (page: Page, name: string) => new RegExp(`action="(/roles/grants/\\d+/${name})"`).exec(page.text)?.[1] ?? '';
const userPage = (who = second, id = viewerId) => who.get(`/users/${id}`);
const waiting = async () => (await rowsOf(`select id from role_grant where status = 'waiting'`)).length;
/** Rejects waiting grants, resets the viewer's role, and deletes the mails about grants. */
async function startAgain(): Promise<void> {
  await rowsOf(`update role_grant set status = 'refused', decided_by = asked_by, decided_at = now() where status = 'waiting'`);
  await setRole('viewer@demo.test', 'Viewer');
  await rowsOf(`delete from delivery where event = 'role_granted'`);
}

/** Each test starts from the same state. */
beforeEach(async () => {
  await startAgain();
  await setRole('finance@demo.test', 'Administrator');
  await rowsOf(`update user_account set status = 'active' where status = 'deactivated'`);
  await rowsOf('delete from admin_role_permission where admin_role_id = any($1::bigint[])', [[DESK, EMPTY]]);
  await rowsOf(`insert into admin_role_permission values ($1, 'view_users')`, [DESK]);
});

describe('a role that is to be deleted', () => {
  const remove = (role: number, who = second) => who.post(`/roles/${role}/delete`);
  const exists = async (role: number) => (await rowsOf('select from admin_role where id = $1', [role])).length === 1;

  test('[ROLE-4, ROLE-7] a role with a waiting grant is not deleted, and names who granted it to whom', async () => {
    const role = (await rowsOf(`insert into admin_role (name) values ('Short-lived') returning id`))[0].id;
    await rowsOf(`insert into admin_role_permission values ($1, 'make_payments')`, [role]);
    await give(role);
    for (const page of [await second.get(`/roles/${role}`), await root.get(`/roles/${role}`)]) {
      assert.doesNotMatch(page.text, new RegExp(`action="/roles/${role}/delete"`));
      assert.match(page.text, /You can delete the role once it’s confirmed or refused/);
    }
    const refused = await remove(role);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /gave it to [^<]*, and that is waiting for a second administrator/);
    assert.deepEqual([await exists(role), await waiting()], [true, 1]);
    const page = await userPage();
    assert.equal((await second.fill(page, formOf(page, 'refuse'))).location, `/users/${viewerId}?done=refused`);
    assert.equal((await remove(role)).location, '/roles?done=deleted');
    assert.equal(await exists(role), false);
  });

  test('[ROLE-7] a role with waiting permissions is not deleted, also when no one has it meanwhile', async () => {
    const role = (await rowsOf(`insert into admin_role (name) values ('Left') returning id`))[0].id;
    await setRole('viewer@demo.test', 'Left');
    await allow(role, ['make_payments']);
    await setRole('viewer@demo.test', 'Viewer');
    const refused = await remove(role);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /asked for more permissions for it, and that is waiting/);
    await startAgain();
    assert.equal((await remove(role)).location, '/roles?done=deleted');
  });
});

describe('the table by itself', () => {
  test('[PERSON-2, ROLE-7] the table rejects one person on both sides, the recipient too, and a second decision', async () => {
    const grant = (status: string, by: number | null) =>
      rowsOf(
        `insert into role_grant (admin_role_id, user_id, asked_by, status, decided_by, decided_at)
         values ($1, $2, $3, $4, $5, case when $5::bigint is not null then now() end) returning id`,
        [FINANCE, viewerId, rootId, status, by],
      );
    for (const by of [rootId, viewerId]) await assert.rejects(grant('confirmed', by), { constraint: 'granter_never_confirms' });
    const [made] = await grant('waiting', null);
    const confirm = (by: number) =>
      rowsOf(`update role_grant set status = 'confirmed', decided_by = $2, decided_at = now() where id = $1`, [made.id, by]);
    await assert.rejects(confirm(rootId), { constraint: 'granter_never_confirms' });
    await assert.rejects(rowsOf(`update role_grant set user_id = $2 where id = $1`, [made.id, secondId]), /decided once/);
    await assert.rejects(grant('waiting', null), { constraint: 'role_grant_of_a_person_idx' });
    await confirm(secondId);
    await assert.rejects(confirm(secondId), /decided once/);
  });
});
