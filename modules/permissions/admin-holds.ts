import { anyOf, type Sql, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

/** The condition that an admin's role grants any of these now. @param admin their id, or an expression of it. */
export function adminHolds(admin: number | Sql, ...permissions: readonly [Permission, ...Permission[]]): Sql {
  const named = permissions.map((permission) => sql`granted.permission = ${permission}`);
  return sql`exists (
    select from user_account holder join admin_role_permission granted on granted.admin_role_id = holder.admin_role_id
     where holder.id = ${admin} and holder.user_type = 'admin' and ${anyOf(named)})`;
}
