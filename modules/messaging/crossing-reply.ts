import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName, type User } from '@case-platform/modules/accounts';

/**
 * Finds the newest reply that a colleague of this admin wrote after the last message that the admin had seen, and did not retract
 * (MESSAGE-10). The caller must have found the chain with the admin's own access.
 * @returns undefined if no colleague replied, or if the admin's own reply with this key was already sent.
 */
export async function findCrossingReply(
  db: Executor,
  admin: Pick<User, 'id'>,
  chainId: number,
  { seen, idempotencyKey = null }: { seen: number; idempotencyKey?: string | null | undefined },
): Promise<{ from_name: string } | undefined> {
  const [reply] = await query<{ from_name: string }>(
    db,
    sql`select ${fullName(sql`u`)} as from_name from message m join user_account u on u.id = m.from_id
         where m.chain_id = ${chainId} and m.id > ${seen} and m.from_type = 'admin' and m.from_id <> ${admin.id}
           and m.retracted_at is null
           and not exists (select from message own where own.from_id = ${admin.id} and own.client_key = ${idempotencyKey})
         order by m.id desc limit 1`,
  );
  return reply;
}
