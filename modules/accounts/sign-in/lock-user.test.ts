import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { createTestDatabase } from '../../../test/support/database.ts';
import { findActiveUserById } from '../users.ts';
import { requireRightsOverUser } from './lock-user.ts';

test('[STAFF-3, ROLE-11] a role that waits for confirmation counts as the person’s, and a refused one does not', async () => {
  const { db } = await createTestDatabase();
  const idOf = async (email: string) =>
    (await query<{ id: number }>(db, sql`select id from user_account where email_address = ${email} order by id`))[0]?.id ?? 0;
  const [viewer, root, other] = [
    await idOf('viewer@demo.test'),
    await idOf('root@demo.test'),
    await idOf('totp-admin@demo.test'),
  ];
  await query(
    db,
    sql`update user_account set admin_role_id = (select admin_role_id from user_account where id = ${viewer})
                       where id in (select id from user_account where email_address = 'finance@demo.test')`,
  );
  const actor = await findActiveUserById(db, await idOf('finance@demo.test'));
  const by = { actor, origin: { layer: 'admin' } } as const;
  await query(
    db,
    sql`insert into role_grant (admin_role_id, user_id, asked_by) select admin_role_id, ${viewer}, id from user_account where id = ${root}`,
  );
  await assert.rejects(requireRightsOverUser(db, viewer, by), { code: 'may_do_more' });
  await query(db, sql`update role_grant set status = 'refused', decided_by = ${other}, decided_at = now()`);
  await requireRightsOverUser(db, viewer, by);
});
