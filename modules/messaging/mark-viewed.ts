import { type Executor, run } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import { findChain } from './list-chains.ts';

/**
 * Marks a chain's messages as viewed for this user, up to a message when one is named. Each person of a group has their
 * own marks; among admins the first who views clears it for all.
 * @returns what is still unread in this chain.
 * @throws {NotFoundError} for a chain that the user does not see.
 */
export async function markViewed(
  db: Executor,
  user: User,
  chainId: number,
  upToMessageId: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  if ((await findChain(db, user, chainId)) === null) throw new NotFoundError();
  if (user.user_type === 'admin') {
    await run(
      db,
      `update message set admin_viewed = now()
        where chain_id = $1 and id <= $2 and to_admin and admin_viewed is null`,
      [chainId, upToMessageId],
    );
  } else {
    await run(
      db,
      `update message_recipient set viewed = now()
        where chain_id = $1 and message_id <= $2 and user_id = $3 and viewed is null`,
      [chainId, upToMessageId, user.id],
    );
  }
  return (await findChain(db, user, chainId))?.unread_count ?? 0;
}
