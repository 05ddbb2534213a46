import { anyOf, type Sql, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';
import { permissionsOfAdmin } from './granted-permissions.ts';

/** A condition: the admin's role grants at least one of these permissions now. @param admin their id, or an expression of it. */
export function adminHasPermission(admin: number | Sql, ...permissions: readonly [Permission, ...Permission[]]): Sql {
  const conditions = permissions.map((permission) => sql`granted.permission = ${permission}`);
  return sql`exists (${permissionsOfAdmin(admin)} and ${anyOf(conditions)})`;
}
