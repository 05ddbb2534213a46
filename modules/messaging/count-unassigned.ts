import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** Counting stops here. */
const COUNTED_MAX = 100;

/** Counts open conversations without an owner, up to 100. For staff with `reassign_threads` (CHAIN-5). */
export async function countUnassigned(db: Executor): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    sql`select count(*)::int as count from (
          select from message_chain where assigned_admin_id is null and status = 'open' limit ${COUNTED_MAX}) waiting`,
  );
  return counted?.count ?? 0;
}
