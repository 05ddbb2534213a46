import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

/** What this admin's role grants now; empty for anyone else. Read on each request, so that a change works at once. */
export async function findPermissions(db: Executor, userId: number): Promise<ReadonlySet<Permission>> {
  const rows = await query<{ permission: Permission }>(
    db,
    sql`select p.permission
          from user_account u join admin_role_permission p on p.admin_role_id = u.admin_role_id
         where u.id = ${userId} and u.user_type = 'admin'`,
  );
  return new Set(rows.map((row) => row.permission));
}
