import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import { chainIsVisibleToAdmin } from './chain-access.ts';

/** Which of these people see a chain now: the same conditions as everywhere, asked the other way round. */
export async function findAudience(
  db: Executor,
  chainId: number,
  people: readonly Pick<User, 'id' | 'user_type'>[],
): Promise<Set<number>> {
  const ids = (staff: boolean) => people.filter((p) => (p.user_type === 'admin') === staff).map((p) => p.id);
  const rows = await run<{ id: number }>(
    db,
    `select g.user_id as id from message_chain_group g
      where g.chain_id = $1 and g.left_at is null and g.user_id = any($2::bigint[])
     union all
     select admin.id from message_chain c cross join unnest($3::bigint[]) as admin (id)
      where c.id = $1 and ${chainIsVisibleToAdmin('admin.id')}`,
    [chainId, ids(false), ids(true)],
  );
  return new Set(rows.map((row) => row.id));
}
