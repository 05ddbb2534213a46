import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { createTestDatabase, serverUrl, vacuumAnalyze } from '../../test/support/database.ts';
import { findOwnerProblem } from './chain-owner.ts';

const { url } = await createTestDatabase();
const superuser = createPool({ url: serverUrl(new URL(url).pathname.slice(1)), name: 'owner', max: 1 });
const db = createDatabase(superuser);
await superuser.query(`
  insert into admin_role (name) values ('Reads messages'), ('Reads cases'), ('Reads nothing');
  insert into admin_role_permission (admin_role_id, permission)
  select id, unnest(case name when 'Reads messages' then array['view_messages', 'view_all_cases']
                              else array['view_all_cases'] end)
    from admin_role where name in ('Reads messages', 'Reads cases');
  insert into user_account (email_address, user_type, first_name, last_name, status, admin_role_id)
  select lower(format('%s-%s@owner.test', replace(coalesce(r.name, 'None'), ' ', '-'), s)), 'admin',
         coalesce(r.name, 'None'), s, s, r.id
    from unnest(array['invited', 'active', 'deactivated']) s,
         (select id, name from admin_role where name like 'Reads %' union all select null, null) r;
  insert into user_account (email_address, user_type, first_name, last_name, status)
  values ('parent@owner.test', 'ip', 'Reads nothing', 'deactivated', 'deactivated');
  insert into user_account (email_address, user_type, first_name, last_name, status, admin_role_id)
  select n || '@many.test', 'admin', 'One of', 'many', 'active', (select id from admin_role where name = 'Reads messages')
    from generate_series(1, 500) n;
  set session_replication_role = 'replica';
  insert into user_account (email_address, user_type, first_name, last_name, status)
  select n || '@many.test', 'ip', 'One of', 'many', 'active' from generate_series(1, 20000) n;
  reset session_replication_role`);
await vacuumAnalyze({ url }, 'user_account', 'admin_role', 'admin_role_permission');

test('[CHAIN-6] an admin can answer with an active account and a role that reads messages, and only then', async () => {
  const { rows } = await superuser.query<{ id: number; first_name: string; last_name: string; is_unable: boolean }>(
    `select id, first_name, last_name, id in (select unable_admins()) as is_unable from user_account
      where email_address like '%@owner.test' and user_type = 'admin' order by email_address`,
  );
  const found = await Promise.all(
    rows.map(async ({ id, first_name, last_name, is_unable }) => {
      assert.equal(is_unable, first_name !== 'Reads messages' || last_name !== 'active', `${first_name}, ${last_name}`);
      return [first_name, last_name, await findOwnerProblem(db, id)];
    }),
  );
  const roles = ['None', 'Reads cases', 'Reads messages', 'Reads nothing'];
  const expected = roles.flatMap((role) => [
    [role, 'active', role === 'Reads messages' ? null : 'no_permission'],
    [role, 'deactivated', 'inactive'],
    [role, 'invited', 'inactive'],
  ]);
  assert.deepEqual(found, expected);
  const { rows: all } = await superuser.query('select unable_admins() as id');
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'each once');
  const others = await superuser.query(`select from user_account where user_type <> 'admin' and id in (select unable_admins())`);
  assert.equal(others.rowCount, 0);
});

test('[CHAIN-6] finding the admins who cannot answer reads only these, however many others there are', async () => {
  const counting = `select (seq_tup_read + idx_tup_fetch)::int as read
                      from pg_stat_xact_user_tables where relname = 'user_account'`;
  const counts = await db.transaction(async (tx) => {
    const run = async (text: string) => (await tx.query({ text, values: [] })).rows as { read: number }[];
    return [await run(counting), await run('select unable_admins()'), await run(counting)] as const;
  });
  const [[before], unable, [after]] = counts;
  const read = (after?.read ?? 0) - (before?.read ?? 0);
  // An account that is not active and has a role that reads no messages is read for both reasons.
  assert.ok(read > 0 && read <= 2 * unable.length, `${read} accounts were read for ${unable.length}`);
});
