import type { Executor } from '@case-platform/lib/database';
import { limitTo, NO_SQL, query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, fullName, type Permission } from '@case-platform/modules/accounts';
import { caseIsVisibleToAdmin } from '../case-access.ts';

const STAFF_MAX = 20;

/** Names active admins with a permission, by name; with a case, only those who see it. */
export async function listStaffWhoCan(db: Executor, permission: Permission, caseId?: number): Promise<string[]> {
  const onCase =
    caseId === undefined
      ? NO_SQL
      : sql` and exists (select from case_file c where c.id = ${caseId} and ${caseIsVisibleToAdmin(sql`u.id`)})`;
  const rows = await query<{ name: string }>(
    db,
    sql`select ${fullName(sql`u`)} as name from user_account u
         where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, permission)}${onCase}
         order by 1 ${limitTo(STAFF_MAX)}`,
  );
  return rows.map(({ name }) => name);
}
