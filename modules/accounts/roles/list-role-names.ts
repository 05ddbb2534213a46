import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { ROLE_VERSION } from './roles.ts';

/** All roles by name, with the versions that a grant must name (ROLE-12). */
export async function listRoleNames(db: Executor): Promise<{ id: number; name: string; version: string }[]> {
  return query(db, sql`select r.id, r.name, ${ROLE_VERSION} as version from admin_role r order by lower(r.name), r.id`);
}
