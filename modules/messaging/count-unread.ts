import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import { visibleChains } from './chain-access.ts';

export interface UnreadCount {
  unread_count: number;
  unread_chains: number;
}

const FOR_ADMIN = `
select count(*) as unread_count, count(distinct m.chain_id) as unread_chains
  from (${visibleChains({ user_type: 'admin' })}) c join message m on m.chain_id = c.id
 where m.to_admin and m.admin_viewed is null`;

const FOR_MEMBER = `
select count(*) as unread_count, count(distinct r.chain_id) as unread_chains
  from message_recipient r
  join message_chain_group g on g.chain_id = r.chain_id and g.user_id = r.user_id and g.left_at is null
 where r.user_id = $1 and r.viewed is null`;

/**
 * Messages that wait for this user, and in how many chains. Always derived from the marks ('Message behaviour' 5 and 6):
 * for an admin the `to_admin` messages that no admin has viewed, in the chains that this admin sees.
 */
export async function countUnread(db: Executor, user: Pick<User, 'id' | 'user_type'>): Promise<UnreadCount> {
  const [counts] = await run<UnreadCount>(db, user.user_type === 'admin' ? FOR_ADMIN : FOR_MEMBER, [user.id]);
  return counts ?? { unread_count: 0, unread_chains: 0 };
}
