import { type Sql, sql } from '@case-platform/lib/sql';

/**
 * What an admin's role grants them now: a permission a row. Here, below the module that decides about roles, because changes of
 * people ask it too. A condition on `holder`, who has it, or on `granted` may follow.
 * @param admin their id, or an expression of it.
 */
export function permissionsOfAdmin(admin: number | Sql | null): Sql {
  return sql`select granted.permission
      from user_account holder join admin_role_permission granted on granted.admin_role_id = holder.admin_role_id
     where holder.id = ${admin} and holder.user_type = 'admin'`;
}

/** What a role grants: a permission a row. @param role its id, or an expression of it. */
export function permissionsOfRole(role: number | Sql | null): Sql {
  return sql`select granted.permission from admin_role_permission granted where granted.admin_role_id = ${role}`;
}
