import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { announce } from './chain-events.ts';
import { findChain, getChain } from './list-chains.ts';

/**
 * Marks a chain's messages as viewed by this user, up to `upToMessageId` if it is given. Each member of a group has their own
 * marks. The first admin who views a message marks it for all admins.
 * @returns the number of messages in this chain that are still unread.
 * @throws {NotFoundError} for a chain that the user does not see.
 */
export function markViewed(
  db: Database,
  user: User,
  chainId: number,
  upToMessageId: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  return changeMarks(db, user, chainId, (tx) =>
    user.user_type === 'admin'
      ? query(
          tx,
          sql`update message set admin_viewed = now()
               where chain_id = ${chainId} and id <= ${upToMessageId} and to_admin and admin_viewed is null
               returning id`,
        )
      : query(
          tx,
          sql`update message_recipient set viewed = now()
               where chain_id = ${chainId} and message_id <= ${upToMessageId} and user_id = ${user.id}
                 and viewed is null returning message_id`,
        ),
  );
}

/**
 * Marks the newest message to this user in a chain as unread again.
 * @returns the number of unread messages in this chain; 0 if it has no message to this user.
 * @throws {NotFoundError} for a chain that the user does not see.
 */
export function markUnread(db: Database, user: User, chainId: number): Promise<number> {
  return changeMarks(db, user, chainId, (tx) =>
    user.user_type === 'admin'
      ? query(
          tx,
          sql`update message set admin_viewed = null
               where id = (select id from message where chain_id = ${chainId} and to_admin and retracted_at is null
                            order by id desc limit 1) returning id`,
        )
      : query(
          tx,
          // Goes through the chain's messages, newest first, because marks that are set have no index by chain. Without
          // `offset 0`, PostgreSQL may read the marks of all chains, or all messages.
          sql`update message_recipient set viewed = null
               where user_id = ${user.id} and message_id = (
                 select m.id from (select id from message
                                    where chain_id = ${chainId} and retracted_at is null order by id desc offset 0) m
                  where (select true from message_recipient r where r.message_id = m.id and r.user_id = ${user.id} limit 1)
                  order by m.id desc limit 1) returning message_id`,
        ),
  );
}

function changeMarks(
  db: Database,
  user: User,
  chainId: number,
  change: (tx: Transaction) => Promise<unknown[]>,
): Promise<number> {
  return db.transaction(async (tx) => {
    await getChain(tx, user, chainId);
    const rows = await change(tx);
    const user_id = user.user_type === 'admin' ? null : user.id;
    if (rows.length > 0) await announce(tx, { kind: 'marks', chain_id: chainId, user_id });
    return (await findChain(tx, user, chainId))?.unread_count ?? 0;
  });
}
