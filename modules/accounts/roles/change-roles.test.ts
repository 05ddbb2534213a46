import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { TEST_URLS } from '../../../test/support/codes.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listAudit } from '../../audit/list-audit.ts';
import { createRole, deleteRole, renameRole, setRolePermissions } from './change-roles.ts';
import { findAdminRights } from './find-admin-rights.ts';
import { findRole, getRole, listRoles } from './roles.ts';

const { db, pool } = await createTestDatabase();
const BY = { actor: null, origin: SYSTEM };
const roleNamed = async (name: string) => {
  const summary = (await listRoles(db)).find((role) => role.name === name);
  assert.ok(summary, name);
  return getRole(db, summary.id);
};
/** True while a transaction of this database waits for a lock of another one. */
const somebodyWaits = async () =>
  (
    await pool.query(
      `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
    )
  ).rowCount !== 0;
const entriesOf = async (subject_id: number) => (await listAudit(db, { subject_type: 'role', subject_id })).data;

test('[ROLE-4] a person who is not an admin has no role: the table rejects it', async () => {
  const [role] = await listRoles(db);
  const give = `update user_account set admin_role_id = $1 where email_address = $2`;
  await assert.rejects(pool.query(give, [role?.id, 'surrogate@demo.test']), { constraint: 'user_account_check' });
});

test('[ROLE-4, AUDIT-1] a role is created, renamed, given permissions, and deleted, with an audit entry each', async () => {
  const id = await createRole(db, '  Front \n desk ', BY);
  assert.deepEqual((await getRole(db, id)).permissions, []);
  await renameRole(db, await getRole(db, id), 'Front Desk', BY);
  await renameRole(db, await getRole(db, id), 'Front Desk', BY);
  await setRolePermissions(db, await getRole(db, id), ['view_users', 'view_agencies', 'view_users'], BY, TEST_URLS);
  await setRolePermissions(db, await getRole(db, id), ['view_agencies', 'view_users'], BY, TEST_URLS);
  await setRolePermissions(db, await getRole(db, id), ['view_agencies'], BY, TEST_URLS);
  assert.deepEqual((await getRole(db, id)).permissions, ['view_agencies']);
  await deleteRole(db, id, BY);
  assert.equal(await findRole(db, id), null);
  const entries = await entriesOf(id);
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before, after]),
    [
      ['role.delete', { name: 'Front Desk', permissions: ['view_agencies'] }, null],
      ['role.set_permissions', { permissions: ['view_agencies', 'view_users'] }, { permissions: ['view_agencies'] }],
      ['role.set_permissions', { permissions: [] }, { permissions: ['view_agencies', 'view_users'] }],
      ['role.rename', { name: 'Front desk' }, { name: 'Front Desk' }],
      ['role.create', null, { name: 'Front desk' }],
    ],
  );
});

test('[ROLE-4] role names have 1 to 100 characters and differ in more than case, also when created at once', async () => {
  for (const name of ['', '   ', '\u0000', 'x'.repeat(101)]) {
    await assert.rejects(createRole(db, name, BY), { status: 422 }, JSON.stringify(name));
  }
  const id = await createRole(db, '🧡'.repeat(100), BY);
  await assert.rejects(createRole(db, 'fInAnCe', BY), { code: 'role_name_taken' });
  await assert.rejects(renameRole(db, await getRole(db, id), 'FINANCE', BY), { code: 'role_name_taken' });
  const made = await Promise.allSettled(['Twin', 'TWIN', 'twin'].map((name) => createRole(db, name, BY)));
  assert.equal(made.filter((result) => result.status === 'fulfilled').length, 1);
});

test('[ROLE-5] of two changes of the same state one succeeds, and a migration counts as a change', async () => {
  const id = await createRole(db, 'Two at once', BY);
  const role = await getRole(db, id);
  const both = await Promise.allSettled([
    setRolePermissions(db, role, ['view_users'], BY, TEST_URLS),
    setRolePermissions(db, role, ['view_agencies'], BY, TEST_URLS),
  ]);
  assert.equal(both.filter((result) => result.status === 'fulfilled').length, 1);
  await assert.rejects(renameRole(db, role, 'Another name', BY), { code: 'role_changed' });
  const current = await getRole(db, id);
  await pool.query('insert into admin_role_permission (admin_role_id, permission) values ($1, $2)', [id, 'view_drs']);
  await assert.rejects(setRolePermissions(db, current, [], BY, TEST_URLS), { code: 'role_changed' });
  assert.ok((await getRole(db, id)).permissions.includes('view_drs'));
});

test('[ROLE-4] a value that is not a permission is rejected, and one that only a newer version has is kept', async () => {
  const role = await roleNamed('Viewer');
  for (const value of ['everything', 'VIEW_USERS', '', "'; drop table admin_role"]) {
    await assert.rejects(setRolePermissions(db, role, ['view_users', value], BY, TEST_URLS), { status: 422 }, value);
  }
  const id = await createRole(db, 'Of tomorrow', BY);
  await pool.query(`insert into admin_permission (value, category, name) values ('fly', 'Travel', 'FLY')`);
  await pool.query(`insert into admin_role_permission (admin_role_id, permission) values ($1, 'fly')`, [id]);
  await setRolePermissions(db, await getRole(db, id), ['view_users'], BY, TEST_URLS);
  assert.deepEqual((await getRole(db, id)).permissions, ['fly', 'view_users']);
});

test('[ROLE-4] a role that someone has is not deleted, and names who has it', async () => {
  const role = await roleNamed('Finance');
  await assert.rejects(deleteRole(db, role.id, BY), { code: 'role_in_use', message: /still has this role/ });
  await assert.rejects(deleteRole(db, 999_999, BY), { status: 404 });
  const id = await createRole(db, 'Of some', BY);
  const words: string[] = [];
  for (const name of ['Ada', 'Bob', 'Cleo', 'Dora', 'Emil']) {
    await pool.query(
      `insert into user_account (email_address, user_type, first_name, status, admin_role_id)
       values (lower($1) || '@some.test', 'admin', $1, 'active', $2)`,
      [name, id],
    );
    words.push(await deleteRole(db, id, BY).then(String, ({ message }) => message.replace(/ this role\. .*/, '')));
  }
  assert.deepEqual(words, [
    'Ada still has',
    'Ada and Bob still have',
    'Ada, Bob, and Cleo still have',
    'Ada, Bob, Cleo, and 1 more still have',
    'Ada, Bob, Cleo, and 2 more still have',
  ]);
  await pool.query('delete from user_account where admin_role_id = $1', [id]);
  await deleteRole(db, id, BY);
});

test('[ROLE-6] the last admin who manages roles cannot lose that, even when two roles lose it at once', async () => {
  const administrator = await roleNamed('Administrator');
  const without = (permissions: readonly string[]) => permissions.filter((value) => value !== 'manage_roles');
  await assert.rejects(setRolePermissions(db, administrator, without(administrator.permissions), BY, TEST_URLS), {
    code: 'last_role_manager',
  });
  const finance = await roleNamed('Finance');
  await setRolePermissions(db, finance, [...finance.permissions, 'manage_roles'], BY, TEST_URLS);
  const [first, second] = [await roleNamed('Finance'), await roleNamed('Administrator')];
  // The first change has passed its check and stays open until the second one waits for it or has ended.
  let other: Promise<unknown> = Promise.resolve();
  const staying: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const made = await work(tx);
        other = setRolePermissions(db, second, without(second.permissions), BY, TEST_URLS);
        await Promise.race([other.catch(() => {}), eventually('the second waits', somebodyWaits)]);
        return made;
      }),
  };
  await setRolePermissions(staying, first, without(first.permissions), BY, TEST_URLS);
  await assert.rejects(other, { code: 'last_role_manager' });
  const { rows } = await pool.query(`select id from user_account where user_type = 'admin' and status = 'active'`);
  const rights = await Promise.all(rows.map(({ id }) => findAdminRights(db, id)));
  assert.ok(rights.some(({ permissions }) => permissions.has('manage_roles')));
});
