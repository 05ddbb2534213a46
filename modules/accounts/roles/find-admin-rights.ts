import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

export interface AdminRights {
  /** Null for an admin without a role, who then has no permissions. */
  role_name: string | null;
  permissions: ReadonlySet<Permission>;
}

/** Reads an admin's role and permissions in one query, on each request, so that a change takes effect at once (ROLE-3). */
export async function findAdminRights(db: Executor, userId: number): Promise<AdminRights> {
  const rows = await query<{ role_name: string; permission: Permission | null }>(
    db,
    sql`select r.name as role_name, p.permission
          from user_account u
          join admin_role r on r.id = u.admin_role_id
          left join admin_role_permission p on p.admin_role_id = r.id
         where u.id = ${userId} and u.user_type = 'admin'`,
  );
  const permissions = rows.map((row) => row.permission).filter((permission) => permission !== null);
  return { role_name: rows[0]?.role_name ?? null, permissions: new Set(permissions) };
}
