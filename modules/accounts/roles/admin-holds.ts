import { anyOf, type Sql, sql } from '@case-platform/lib/sql';
import { rightsOf } from '../rights.ts';
import type { Permission } from './catalogue.ts';

/** The condition that an admin's role grants any of these now. @param admin their id, or an expression of it. */
export function adminHolds(admin: number | Sql, ...permissions: readonly [Permission, ...Permission[]]): Sql {
  const named = permissions.map((permission) => sql`granted.permission = ${permission}`);
  return sql`exists (${rightsOf(admin)} and ${anyOf(named)})`;
}
