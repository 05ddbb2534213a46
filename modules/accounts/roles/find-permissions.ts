import type { Executor } from '@case-platform/lib/database';
import { query } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';
import { permissionsOfAdmin } from './granted-permissions.ts';

/**
 * An admin's current permissions; empty for anyone else. Read on each request, so that a change takes effect at once (ROLE-3).
 */
export async function findPermissions(db: Executor, userId: number): Promise<ReadonlySet<Permission>> {
  const rows = await query<{ permission: Permission }>(db, permissionsOfAdmin(userId));
  return new Set(rows.map((row) => row.permission));
}
