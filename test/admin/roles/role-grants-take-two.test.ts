import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { assignRole, findActiveUserById } from '@case-platform/modules/accounts';
import { CASE_1 } from '../../support/cast.ts';
import { joinPersons, partPersons } from '../../support/persons.ts';
import { startApi } from '../../support/platform.ts';
import { runOverlapping } from '../../support/run-overlapping.ts';
import { type Page, roleChoice, startAdmin } from '../start-admin.ts';

/** A role that may move money is granted by one administrator and confirmed by another (ROLE-7). */

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
const [root, second, manager, viewer] = await admin.people('root', 'finance', 'escrow', 'viewer');
const [rootId, secondId, viewerId] = [
  await idOf('root@demo.test'),
  await idOf('finance@demo.test'),
  await idOf('viewer@demo.test'),
];
const [FINANCE, DESK, EMPTY] = [await roleOf('Finance'), await roleOf('Desk'), await roleOf('Empty')];
const MANAGERS = await roleOf('Managers');
const viewerApi = await api.as('viewer');

const give = (role: number | '', to = viewerId, who = root) => who.giveRole(to, role);
const allow = async (role: number, permissions: string[], who = root) =>
  who.fill(await who.get(`/roles/${role}`), `/roles/${role}/permissions`, { permissions });
const formOf = (page: Page, name: string) => new RegExp(`action="(/roles/grants/\\d+/${name})"`).exec(page.text)?.[1] ?? '';
const versionIn = (page: Page) => /\/roles\/grants\/[\s\S]*?name="version" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? '';
const userPage = (who = second, id = viewerId) => who.get(`/users/${id}`);
const roleNow = async (id = viewerId) =>
  (await rowsOf('select r.name from user_account u left join admin_role r on r.id = u.admin_role_id where u.id = $1', [id]))[0]
    .name;
const waiting = async () => (await rowsOf(`select id from role_grant where status = 'waiting'`)).length;
const listNotices = async () =>
  (await rowsOf(`select recipient, subject from delivery where event = 'role_granted' order by id`)).map(
    ({ recipient, subject }) => `${recipient}: ${subject}`,
  );
/** Rejects waiting grants, resets the viewer's role, and deletes the mails about grants. */
async function startAgain(): Promise<void> {
  await rowsOf(`update role_grant set status = 'refused', decided_by = asked_by, decided_at = now() where status = 'waiting'`);
  await setRole('viewer@demo.test', 'Viewer');
  await rowsOf(`with gone as (delete from delivery where event = 'role_granted' returning delivery_key)
                delete from delivery_key using gone where key = gone.delivery_key`);
}

/** Each test starts from the same state. */
beforeEach(async () => {
  await startAgain();
  await setRole('finance@demo.test', 'Administrator');
  await rowsOf(`update user_account set status = 'active' where status = 'deactivated'`);
  await partPersons(pool, [rootId, secondId, viewerId]);
  await rowsOf('delete from admin_role_permission where admin_role_id = any($1::bigint[])', [[DESK, EMPTY]]);
  await rowsOf(`insert into admin_role_permission values ($1, 'view_users')`, [DESK]);
});

describe('a role granted to someone', () => {
  test('[ROLE-7] a grant does not count before another administrator has confirmed it, here and in the API', async () => {
    const granted = await give(FINANCE);
    assert.equal(granted.location, `/users/${viewerId}?done=role-asked`);
    assert.equal(await roleNow(), 'Viewer');
    const requests = () => viewerApi.get(`/api/cases/${CASE_1}/disbursements`);
    assert.deepEqual([(await viewer.post('/batches')).status, (await requests()).status], [403, 403]);
    for (const path of ['/', '/roles', `/roles/${FINANCE}`, `/users/${viewerId}`])
      assert.match((await second.get(path)).text, /Vera Lindqvist[^<]*: Finance/, path);
    assert.match((await second.get('/')).text, /1 role change to confirm/);
    assert.doesNotMatch((await root.get('/')).text, /1 role change to confirm/, 'not for the person who granted it');
    const own = await userPage(root);
    assert.match(own.text, /You asked for this, so another administrator has to confirm it/);
    assert.equal(formOf(own, 'confirm'), '');
    const page = await userPage();
    assert.equal((await second.fill(page, formOf(page, 'confirm'))).location, `/users/${viewerId}?done=confirmed`);
    assert.equal(await roleNow(), 'Finance');
    // The permission is theirs now, and the case stays closed to them (CASE-2).
    assert.equal((await requests()).status, 404);
    assert.notEqual((await viewer.post('/batches')).status, 403);
  });

  test('[ROLE-8] a grant is mailed to all administrators, when it is made and when it counts', async () => {
    await give(FINANCE);
    const all = ['root@demo.test', 'finance@demo.test', 'escrow@demo.test', 'totp-admin@demo.test'];
    const [first, after] = ['needs a second administrator', 'was granted'].map((end) =>
      all.map((address) => `${address}: A role that can move money ${end}`).sort(),
    );
    assert.deepEqual((await listNotices()).sort(), first);
    const page = await userPage();
    await second.fill(page, formOf(page, 'confirm'));
    assert.deepEqual((await listNotices()).slice(all.length).sort(), after);
  });

  test('[ROLE-7, PERSON-2] a grant is not confirmed by its maker or recipient, under any record, nor by someone who may do less', async () => {
    await give(FINANCE);
    const page = await userPage();
    const [path, version] = [formOf(page, 'confirm'), versionIn(page)];
    assert.equal((await root.post(path, { version })).status, 403);
    assert.equal((await manager.post(path, { version })).status, 403, 'a role that may do more than theirs');
    assert.equal((await viewer.post(path, { version })).status, 403, 'manages no roles');
    for (const one of [rootId, viewerId]) {
      await joinPersons(pool, [secondId, one]);
      assert.equal((await second.post(path, { version })).status, 403);
      assert.doesNotMatch((await second.get('/')).text, /1 role change to confirm/);
      await partPersons(pool, [secondId, one]);
    }
    assert.equal(await roleNow(), 'Viewer');
    assert.equal((await second.post(path, { version })).status, 303);
  });

  test('[ROLE-9] a grant is confirmed as it was seen: after a change of the role or the person it is shown again', async () => {
    await give(FINANCE);
    const page = await userPage();
    const path = formOf(page, 'confirm');
    const changes = [
      `insert into admin_role_permission values (${FINANCE}, 'edit_bank_accounts')`,
      `update user_account set email_address = 'stranger@demo.test' where id = ${viewerId}`,
      `update user_account set status = 'deactivated' where id = ${viewerId}`,
      `update user_account set admin_role_id = ${DESK} where id = ${viewerId}`,
      `update admin_role set name = 'Money' where id = ${FINANCE}`,
    ];
    const back = [
      `delete from admin_role_permission where admin_role_id = ${FINANCE} and permission = 'edit_bank_accounts'`,
      `update user_account set email_address = 'viewer@demo.test' where id = ${viewerId}`,
      `update user_account set status = 'active' where id = ${viewerId}`,
      `update user_account set admin_role_id = ${await roleOf('Viewer')} where id = ${viewerId}`,
      `update admin_role set name = 'Finance' where id = ${FINANCE}`,
    ];
    for (const [at, change] of changes.entries()) {
      await rowsOf(change);
      const refused = await second.fill(page, path);
      assert.deepEqual([refused.status, await waiting()], [409, 1], change);
      assert.match(refused.text, /changed after you opened this/);
      await rowsOf(back[at] ?? '');
    }
    assert.equal((await second.post(path)).status, 422, 'nothing named');
    const all = await Promise.all(Array.from({ length: 10 }, () => second.fill(page, path)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('[ROLE-7] a grant can be taken back or rejected, and a role that does not add power over money counts at once', async () => {
    await give(FINANCE);
    const mine = await userPage(root);
    assert.equal((await root.fill(mine, formOf(mine, 'refuse'))).location, `/users/${viewerId}?done=refused`);
    await give(FINANCE);
    const page = await userPage();
    assert.equal((await second.fill(page, formOf(page, 'refuse'))).status, 303);
    assert.deepEqual([await roleNow(), await waiting()], ['Viewer', 0]);
    await give(FINANCE);
    assert.equal((await give(DESK)).location, `/users/${viewerId}?done=role`);
    assert.deepEqual([await roleNow(), await waiting()], ['Desk', 0], 'what waited is taken back');
    await setRole('viewer@demo.test', 'Administrator');
    assert.equal((await give(FINANCE)).location, `/users/${viewerId}?done=role`);
    assert.equal(await roleNow(), 'Finance');
  });

  test('[ROLE-7, ROLE-8] a grant counts at once while only one person manages roles, and is announced', async () => {
    await rowsOf(
      `update user_account set status = 'deactivated' where email_address in ('totp-admin@demo.test', 'escrow@demo.test')`,
    );
    // Two records of one person count as one.
    await joinPersons(pool, [rootId, secondId]);
    assert.equal((await give(FINANCE)).location, `/users/${viewerId}?done=role`);
    assert.equal(await roleNow(), 'Finance');
    assert.equal((await listNotices()).length, 2);
    await partPersons(pool, [rootId, secondId]);
    await startAgain();
    assert.equal((await give(FINANCE)).location, `/users/${viewerId}?done=role-asked`);
    assert.doesNotMatch((await userPage(root)).text, /Nobody can do that right now/);
    await setRole('finance@demo.test', 'Desk');
    assert.match((await userPage(root)).text, /Nobody can do that right now\. It takes another person who manages roles/);
    await setRole('finance@demo.test', 'Administrator');
    await rowsOf(`update user_account set status = 'active' where status = 'deactivated'`);
  });

  for (const permission of [
    'create_nacha',
    'approve_nacha',
    'edit_bank_accounts',
    'approve_drs',
    'make_payments',
    'manage_roles',
  ])
    test(`[ROLE-7] a grant of ${permission} waits`, async () => {
      await rowsOf('insert into admin_role_permission values ($1, $2)', [EMPTY, permission]);
      assert.equal((await give(EMPTY)).location, `/users/${viewerId}?done=role-asked`);
    });

  test('[ROLE-7, ROLE-11] a grant waits also for someone invited or reactivated, who is treated as if they had it', async () => {
    const fields = { first_name: 'New', last_name: 'Person', phone: '', agency_id: '', user_type: 'admin' };
    const invited = await root.post('/users', {
      ...fields,
      email_address: 'new@demo.test',
      admin_role_id: roleChoice(await root.get('/users/new'), FINANCE),
    });
    const id = Number(/\/users\/(\d+)/.exec(invited.location ?? '')?.[1]);
    assert.deepEqual([await roleNow(id), await waiting()], [null, 1]);
    const change = { ...fields, email_address: 'thief@elsewhere.test' };
    assert.equal((await manager.post(`/users/${id}`, change)).status, 403);
    assert.equal((await manager.post(`/users/${id}/deactivate`)).status, 403);
    const page = await userPage(second, id);
    assert.equal((await second.fill(page, formOf(page, 'confirm'))).status, 303);
    assert.equal(await roleNow(id), 'Finance');
    // The grant is for the owner of this address and account, so after a change of either it must be confirmed again.
    const renamed = { ...fields, email_address: 'new@demo.test', last_name: 'Name' };
    assert.equal((await root.post(`/users/${id}`, renamed)).status, 303);
    assert.deepEqual([await roleNow(id), await waiting()], ['Finance', 0], 'the same address');
    const ways = [
      () => root.post(`/users/${id}`, { ...fields, email_address: 'friend@elsewhere.test' }),
      async () => {
        assert.equal((await root.post(`/users/${id}/deactivate`)).status, 303);
        return root.post(`/users/${id}/reactivate`);
      },
    ];
    for (const way of ways) {
      assert.equal((await way()).status, 303);
      assert.deepEqual([await roleNow(id), await waiting()], [null, 1]);
      const again = await userPage(second, id);
      assert.equal((await root.post(formOf(again, 'confirm'), { version: versionIn(again) })).status, 403);
      assert.equal((await second.fill(again, formOf(again, 'confirm'))).status, 303);
      assert.equal(await roleNow(id), 'Finance');
    }
  });
});

describe('a role that may do more', () => {
  const permissionsOf = async (role: number) =>
    (await rowsOf('select permission from admin_role_permission where admin_role_id = $1 order by 1', [role])).map(
      ({ permission }) => permission,
    );

  test('[ROLE-10] of new permissions for a role that someone has, those that move money wait, and the rest count', async () => {
    await setRole('viewer@demo.test', 'Desk');
    const saved = await allow(DESK, ['view_agencies', 'make_payments', 'approve_nacha']);
    assert.equal(saved.location, `/roles/${DESK}?done=asked`);
    assert.deepEqual(await permissionsOf(DESK), ['view_agencies'], 'taken away and given at once, but for money');
    assert.equal((await viewer.post(`/cases/${CASE_1}/money`)).status, 403);
    assert.equal((await listNotices()).length, 4);
    assert.match((await second.get('/')).text, /1 role change to confirm[\s\S]*Desk: more permissions/);
    const page = await second.get(`/roles/${DESK}`);
    assert.equal((await root.post(formOf(page, 'confirm'), { version: versionIn(page) })).status, 403);
    assert.equal((await second.fill(page, formOf(page, 'confirm'))).location, `/roles/${DESK}?done=confirmed`);
    assert.deepEqual(await permissionsOf(DESK), ['approve_nacha', 'make_payments', 'view_agencies']);
  });

  test('[ROLE-10] more permissions for a role are confirmed by someone who has them, and by another only if no one has', async () => {
    await setRole('viewer@demo.test', 'Desk');
    await rowsOf(`update user_account set status = 'deactivated' where email_address = 'totp-admin@demo.test'`);
    for (const role of [DESK, MANAGERS]) {
      await allow(role, ['manage_roles', 'view_users', 'edit_users', 'make_payments']);
      const page = await manager.get(`/roles/${role}`);
      const [path, version] = [formOf(page, 'confirm'), versionIn(page)];
      const refused = await manager.post(path, { version });
      assert.deepEqual([refused.status, /Your role doesn’t allow this itself/.test(refused.text)], [403, true]);
      assert.equal((await second.post(path, { version })).status, 303);
    }
    await rowsOf(`delete from admin_role_permission where permission = 'make_payments' and admin_role_id = $1`, [MANAGERS]);
    await rowsOf(`update user_account set status = 'deactivated' where email_address = 'finance@demo.test'`);
    await allow(DESK, ['view_users', 'approve_nacha']);
    const page = await manager.get(`/roles/${DESK}`);
    assert.equal((await manager.fill(page, formOf(page, 'confirm'))).status, 303, 'no one else may do it');
  });

  test('[ROLE-10] a repeated request waits again, other saved changes leave it waiting, and a role that no one has counts at once', async () => {
    await setRole('viewer@demo.test', 'Desk');
    await rowsOf('delete from admin_role_permission where admin_role_id = $1', [DESK]);
    await allow(DESK, ['make_payments']);
    await allow(DESK, ['view_agencies']);
    assert.equal(await waiting(), 1);
    await allow(DESK, ['view_agencies', 'approve_drs']);
    const [grant] = await rowsOf(`select permissions from role_grant where status = 'waiting'`);
    assert.deepEqual([grant?.permissions, await waiting()], [['approve_drs'], 1]);
    await startAgain();
    assert.equal((await allow(EMPTY, ['make_payments'])).location, `/roles/${EMPTY}?done=permissions`);
    assert.equal((await give(EMPTY)).location, `/users/${viewerId}?done=role-asked`, 'giving it is what takes two');
  });

  test('[ROLE-7, ROLE-10] permissions that are added to a role while its grant waits need a second administrator, too', async () => {
    await allow(EMPTY, ['make_payments']);
    await give(EMPTY);
    const added = await allow(EMPTY, ['make_payments', 'approve_nacha'], second);
    assert.equal(added.location, `/roles/${EMPTY}?done=asked`);
    const page = await userPage();
    assert.equal((await second.fill(page, formOf(page, 'confirm'))).status, 303);
    assert.deepEqual([await roleNow(), await permissionsOf(EMPTY)], ['Empty', ['make_payments']]);
    const rolePage = await second.get(`/roles/${EMPTY}`);
    assert.equal(formOf(rolePage, 'confirm'), '', 'the one who added them does not confirm them');
    const other = await root.get(`/roles/${EMPTY}`);
    assert.equal((await root.fill(other, formOf(other, 'confirm'))).status, 303);
    assert.deepEqual(await permissionsOf(EMPTY), ['approve_nacha', 'make_payments']);
  });
});

test('[ROLE-7] permissions that are added to a role while a second administrator is appointed wait for them', async (t) => {
  const others = await rowsOf(
    `select u.email_address, r.name from user_account u join admin_role r on r.id = u.admin_role_id
      where u.id <> $1 and exists (select from admin_role_permission p
                                    where p.admin_role_id = r.id and p.permission = 'manage_roles')`,
    [rootId],
  );
  t.after(() => Promise.all(others.map(({ email_address, name }) => setRole(email_address, name))));
  for (const { email_address } of others) await setRole(email_address, 'Viewer');
  await setRole('viewer@demo.test', 'Desk');
  const actor = await findActiveUserById(api.db, rootId);
  assert.ok(actor);
  const urls = { webUrl: '', adminUrl: '' };
  const change = { actor, origin: SYSTEM, manages_roles: true, now: new Date(), urls };
  const grant = { user_id: secondId, admin_role_id: MANAGERS };
  const answer = await runOverlapping(
    api,
    async (tx) => assert.equal(await assignRole(tx, grant, change), true),
    () => allow(DESK, ['view_users', 'make_payments']),
  );
  assert.equal(answer.status, 303);
  assert.equal(await waiting(), 1);
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
