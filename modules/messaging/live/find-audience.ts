import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { chainIsVisible } from '../chain-access.ts';

/** Which of these people see a chain now: the same condition as everywhere, asked the other way round. */
export async function findAudience(
  db: Executor,
  chainId: number,
  people: readonly Pick<User, 'id' | 'user_type'>[],
): Promise<Set<number>> {
  const members = people.filter(({ user_type }) => user_type !== 'admin');
  const staff = people.filter(({ user_type }) => user_type === 'admin');
  const seers = (some: typeof people, user_type: UserType) =>
    sql`select person.id from message_chain c cross join unnest(${some.map(({ id }) => id)}::bigint[]) person (id)
         where c.id = ${chainId} and ${chainIsVisible({ id: sql`person.id`, user_type })}`;
  // Which of the types that are not staff it is makes no difference.
  const rows = await query<{ id: number }>(db, sql`${seers(members, 'ip')} union all ${seers(staff, 'admin')}`);
  return new Set(rows.map((row) => row.id));
}
