import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminsWithPermission } from '@case-platform/modules/accounts';
import { chainIsVisible } from './chain-access.ts';
import { NEEDS_OWNER } from './chain-owner.ts';

/** The ids of the people who see a conversation, whether or not they can sign in. */
export interface ChainAudience {
  members: number[];
  staff: number[];
}

/**
 * Everyone who might see chain `c`, as `(user_id)`: those whom one of the reasons in `chainIsVisible` could concern. That condition
 * then decides, so a person who is missing here gets no live update, and nobody gets one who must not.
 */
const CANDIDATES = sql`(
  select g.user_id from message_chain_group g where g.chain_id = c.id
  union select c.created_by
  union select c.assigned_admin_id
  union select t.user_id from case_admin t where t.case_id = c.case_id
  union select f.escrow_specialist_id from case_file f where f.id = c.case_id
  union select a.id from (${adminsWithPermission('reassign_threads')}) a where ${NEEDS_OWNER})`;

/**
 * Finds who sees each of these conversations now, in one statement: `chainIsVisible` read in the other direction. An id that is
 * missing in the result is not a conversation.
 */
export async function findChainAudiences(db: Executor, chainIds: readonly number[]): Promise<Map<number, ChainAudience>> {
  if (chainIds.length === 0) return new Map();
  const person = sql`person.id`;
  const sees: Sql = sql`case when person.user_type = 'admin'
    then ${chainIsVisible({ id: person, user_type: 'admin' })}
    -- The condition is the same for all types that are not staff.
    else ${chainIsVisible({ id: person, user_type: 'ip' })} end`;
  const rows = await query<ChainAudience & { id: number }>(
    db,
    sql`select c.id,
               coalesce(array_agg(person.id) filter (where person.user_type <> 'admin' and ${sees}), '{}') as members,
               coalesce(array_agg(person.id) filter (where person.user_type = 'admin' and ${sees}), '{}') as staff
          from message_chain c
          cross join lateral ${CANDIDATES} candidate
          join user_account person on person.id = candidate.user_id
         where c.id = any(${[...new Set(chainIds)]}::bigint[])
         group by c.id`,
  );
  return new Map(rows.map(({ id, members, staff }) => [Number(id), { members: members.map(Number), staff: staff.map(Number) }]));
}
