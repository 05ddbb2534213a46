import { anyOf, type Sql, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';
import { permissionsOfAdmin } from './granted-permissions.ts';

/** A condition: the admin's role grants at least one of these permissions now. @param admin their id, or an expression of it. */
export function adminHasPermission(admin: number | Sql, ...permissions: readonly [Permission, ...Permission[]]): Sql {
  const conditions = permissions.map((permission) => sql`granted.permission = ${permission}`);
  return sql`exists (${permissionsOfAdmin(admin)} and ${anyOf(conditions)})`;
}

/** The ids of the admins whose role grants this permission now, whether or not they can sign in, as `(id)`. */
export function adminsWithPermission(permission: Permission): Sql {
  return sql`select holder.id from user_account holder join admin_role_permission granted on granted.admin_role_id = holder.admin_role_id
     where granted.permission = ${permission} and holder.user_type = 'admin'`;
}
