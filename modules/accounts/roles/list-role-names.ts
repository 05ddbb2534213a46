import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { ROLE_VERSION } from './roles.ts';

/** The roles by name, for choosing one; whoever gives it names its version. */
export async function listRoleNames(db: Executor): Promise<{ id: number; name: string; version: string }[]> {
  return query(db, sql`select r.id, r.name, ${ROLE_VERSION} as version from admin_role r order by lower(r.name), r.id`);
}
