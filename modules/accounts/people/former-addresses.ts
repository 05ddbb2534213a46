import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** A former address is notified of changes for this long (ADDRESS-2). */
export const NOTIFIED_MS = 30 * 24 * 3_600_000;

/** The other addresses that an account had during the last 30 days. */
export async function listFormerAddresses(db: Executor, userId: number, now: Date): Promise<string[]> {
  const rows = await query<{ old_address: string }>(
    db,
    sql`select distinct c.old_address from address_change c join user_account u on u.id = c.user_id
         where c.user_id = ${userId} and c.confirmed_at > ${new Date(now.getTime() - NOTIFIED_MS)}
           and c.old_address <> u.email_address order by c.old_address`,
  );
  return rows.map(({ old_address }) => old_address);
}
