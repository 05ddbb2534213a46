import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/** The ids of the admins who cannot answer conversations: their account is closed, or their role does not read messages. */
export const UNABLE_ADMINS = sql`(select unable_admins())`;

/** Whether an admin `u` can answer conversations. */
export const canAnswer = (u: Sql): Sql => sql`${u}.id not in ${UNABLE_ADMINS}`;

/** Whether no one answers the chain `c`: it has no owner, or one who cannot (CHAIN-5, CHAIN-6). */
export const NEEDS_OWNER = sql`(c.assigned_admin_id is null or c.assigned_admin_id in ${UNABLE_ADMINS})`;

/** Why the owner of a chain cannot answer it. */
export type OwnerProblem = 'inactive' | 'no_permission';

/** Finds out why this admin cannot answer conversations; null if they can (CHAIN-6). */
export async function findOwnerProblem(db: Executor, adminId: number): Promise<OwnerProblem | null> {
  const [owner] = await query<{ problem: OwnerProblem | null }>(
    db,
    sql`select case when u.status <> 'active' then 'inactive' when not ${canAnswer(sql`u`)} then 'no_permission' end as problem
          from user_account u where u.id = ${adminId}`,
  );
  return owner?.problem ?? null;
}
