import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

export interface AdminRights {
  /** The name of the admin's role; null for an admin without one, who then has no permission either. */
  role_name: string | null;
  permissions: ReadonlySet<Permission>;
}

/** An admin's role and what it grants, in one question. Asked on each request, so that a change works at once. */
export async function findAdminRights(db: Executor, userId: number): Promise<AdminRights> {
  const rows = await query<{ role_name: string; permission: Permission | null }>(
    db,
    sql`select r.name as role_name, p.permission
          from user_account u
          join admin_role r on r.id = u.admin_role_id
          left join admin_role_permission p on p.admin_role_id = r.id
         where u.id = ${userId} and u.user_type = 'admin'`,
  );
  const granted = rows.map((row) => row.permission).filter((permission) => permission !== null);
  return { role_name: rows[0]?.role_name ?? null, permissions: new Set(granted) };
}
