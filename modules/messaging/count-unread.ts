import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { type ChainReader, messageIsUnread, unreadOfMember, visibleChains } from './chain-access.ts';

export interface UnreadCount {
  unread_count: number;
  unread_chains: number;
}

const NOTHING: UnreadCount = { unread_count: 0, unread_chains: 0 };

/** A statement with one row: the counts of this reader. */
function countsOf(reader: ChainReader): Sql {
  return reader.user_type === 'admin'
    ? sql`select coalesce(sum(waiting.messages), 0)::bigint as unread_count,
                 count(*) filter (where waiting.messages > 0) as unread_chains
            from (${visibleChains(reader)}) c cross join lateral (
              select count(*) as messages from message m where m.chain_id = c.id and ${messageIsUnread(reader)}) waiting`
    : sql`select count(*) as unread_count, count(distinct r.chain_id) as unread_chains from ${unreadOfMember(reader)}`;
}

/**
 * Counts the unread messages of this user and their chains. Both are always derived from the marks (UNREAD-1 to UNREAD-4):
 * for an admin the `to_admin` messages that no admin has viewed, in the chains that this admin sees. Each of these chains is
 * looked up in the index of unread messages, so that other people's chains cost nothing.
 */
export async function countUnread(db: Executor, user: Pick<User, 'id' | 'user_type'>): Promise<UnreadCount> {
  const [counts] = await query<UnreadCount>(db, countsOf(user));
  return counts ?? NOTHING;
}

/** The same for many users in one statement, by their ids. */
export async function countUnreadOfMany(
  db: Executor,
  users: readonly Pick<User, 'id' | 'user_type'>[],
): Promise<ReadonlyMap<number, UnreadCount>> {
  if (users.length === 0) return new Map();
  const isStaff = ({ user_type }: Pick<User, 'user_type'>) => user_type === 'admin';
  const countingOf = (some: typeof users, user_type: UserType) =>
    sql`select person.id, counts.* from unnest(${some.map(({ id }) => id)}::bigint[]) person (id)
          cross join lateral (${countsOf({ id: sql`person.id`, user_type })}) counts`;
  // The counts are the same for all types that are not staff.
  const rows = await query<UnreadCount & { id: number }>(
    db,
    sql`${countingOf(
      users.filter((user) => !isStaff(user)),
      'ip',
    )} union all ${countingOf(users.filter(isStaff), 'admin')}`,
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
