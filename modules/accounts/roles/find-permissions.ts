import type { Executor } from '@case-platform/lib/database';
import { query } from '@case-platform/lib/sql';
import { rightsOf } from '../rights.ts';
import type { Permission } from './catalogue.ts';

/** What this admin's role grants now; empty for anyone else. Read on each request, so that a change works at once. */
export async function findPermissions(db: Executor, userId: number): Promise<ReadonlySet<Permission>> {
  const rows = await query<{ permission: Permission }>(db, rightsOf(userId));
  return new Set(rows.map((row) => row.permission));
}
