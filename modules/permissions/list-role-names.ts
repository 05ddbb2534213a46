import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** The roles by name, for choosing one. */
export async function listRoleNames(db: Executor): Promise<{ id: number; name: string }[]> {
  return query(db, sql`select id, name from admin_role order by lower(name), id`);
}
