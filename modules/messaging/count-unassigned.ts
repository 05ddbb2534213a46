import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';

/** Counting stops here. */
const COUNTED_MAX = 100;

/** Counts open conversations that no one answers, up to 100. For staff with `reassign_threads` (CHAIN-5, CHAIN-6). */
export async function countUnassigned(db: Executor): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    // A branch for each reason, so that both read the index of owners.
    sql`select count(*)::int as count from (
          (select 1 from message_chain c where c.assigned_admin_id is null and c.status = 'open' ${limitTo(COUNTED_MAX)})
          union all
          (select 1 from (select unable_admins() as id) u
             cross join lateral (
               select from message_chain c where c.assigned_admin_id = u.id and c.status = 'open' ${limitTo(COUNTED_MAX)}) c)
          ${limitTo(COUNTED_MAX)}) waiting`,
  );
  return row?.count ?? 0;
}
