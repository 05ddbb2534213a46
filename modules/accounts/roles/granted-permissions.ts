import { type Sql, sql } from '@case-platform/lib/sql';

/**
 * A query with one row for each permission that the admin's role grants now. Callers may append conditions on `holder`, the
 * admin, or on `granted`.
 * @param admin their id, or an expression of it.
 */
export function permissionsOfAdmin(admin: number | Sql | null): Sql {
  return sql`select granted.permission
      from user_account holder join admin_role_permission granted on granted.admin_role_id = holder.admin_role_id
     where holder.id = ${admin} and holder.user_type = 'admin'`;
}

/** A query with one row for each permission of a role. @param role its id, or an expression of it. */
export function permissionsOfRole(role: number | Sql | null): Sql {
  return sql`select granted.permission from admin_role_permission granted where granted.admin_role_id = ${role}`;
}
