import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { messageIsUnread, unreadOfMember, visibleChains } from './chain-access.ts';

export interface UnreadCount {
  unread_count: number;
  unread_chains: number;
}

const COUNTS = sql`select count(*) as unread_count, count(distinct unread.chain_id) as unread_chains`;

function unreadOf(user: Pick<User, 'id' | 'user_type'>): Sql {
  return user.user_type === 'admin'
    ? sql`select m.chain_id from (${visibleChains(user)}) c join message m on m.chain_id = c.id where ${messageIsUnread(user)}`
    : sql`select r.chain_id from ${unreadOfMember(user)}`;
}

/**
 * Messages that wait for this user, and in how many chains. Always derived from the marks ('Message behaviour' 5 and 6):
 * for an admin the `to_admin` messages that no admin has viewed, in the chains that this admin sees.
 */
export async function countUnread(db: Executor, user: Pick<User, 'id' | 'user_type'>): Promise<UnreadCount> {
  const [counts] = await query<UnreadCount>(db, sql`${COUNTS} from (${unreadOf(user)}) unread`);
  return counts ?? { unread_count: 0, unread_chains: 0 };
}
