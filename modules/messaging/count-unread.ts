import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { messageIsUnread, unreadOfMember, visibleChains } from './chain-access.ts';

export interface UnreadCount {
  unread_count: number;
  unread_chains: number;
}

/**
 * Counts the unread messages of this user and their chains. Both are always derived from the marks (UNREAD-1 to UNREAD-4):
 * for an admin the `to_admin` messages that no admin has viewed, in the chains that this admin sees. Each of these chains is
 * looked up in the index of unread messages, so that other people's chains cost nothing.
 */
export async function countUnread(db: Executor, user: Pick<User, 'id' | 'user_type'>): Promise<UnreadCount> {
  const counting =
    user.user_type === 'admin'
      ? sql`select coalesce(sum(waiting.messages), 0)::bigint as unread_count,
                   count(*) filter (where waiting.messages > 0) as unread_chains
              from (${visibleChains(user)}) c cross join lateral (
                select count(*) as messages from message m where m.chain_id = c.id and ${messageIsUnread(user)}) waiting`
      : sql`select count(*) as unread_count, count(distinct r.chain_id) as unread_chains from ${unreadOfMember(user)}`;
  const [counts] = await query<UnreadCount>(db, counting);
  return counts ?? { unread_count: 0, unread_chains: 0 };
}
