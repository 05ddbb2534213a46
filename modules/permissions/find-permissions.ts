import { type Executor, run } from '@case-platform/lib/database';
import type { Permission } from './catalogue.ts';

/** What this admin's role grants now; empty for anyone else. Read on each request, so that a change works at once. */
export async function findPermissions(db: Executor, userId: number): Promise<ReadonlySet<Permission>> {
  const rows = await run<{ permission: Permission }>(
    db,
    `select p.permission
       from user_account u join admin_role_permission p on p.admin_role_id = u.admin_role_id
      where u.id = $1 and u.user_type = 'admin'`,
    [userId],
  );
  return new Set(rows.map((row) => row.permission));
}
