import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { adminsWithPermission } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser } from './case-access.ts';

/**
 * Everyone who might see case `c`, as `(user_id)`: those whom one of the reasons to see a case could concern. The condition on
 * their access then decides, so a person who is missing here gets no live update, and nobody gets one who must not.
 */
const CANDIDATES = sql`(
  select p.user_id from case_participant p where p.case_id = c.id
  union select t.user_id from case_admin t where t.case_id = c.id
  union select c.escrow_specialist_id
  union select u.id from user_account u where u.agency_id = c.agency_id and u.user_type = 'owner'
  union (${adminsWithPermission('view_all_cases')}))`;

/** Finds who sees each of these cases now, in one statement (CASE-12), as ids of people by the id of the case. */
export async function findCaseAudiences(db: Executor, caseIds: readonly number[]): Promise<Map<number, number[]>> {
  if (caseIds.length === 0) return new Map();
  const rows = await query<{ id: number; people: number[] }>(
    db,
    sql`select c.id, array_agg(person.id) as people
          from case_file c
          cross join lateral ${CANDIDATES} candidate
          join user_account person on person.id = candidate.user_id
         where c.id = any(${[...new Set(caseIds)]}::bigint[]) and ${caseIsVisibleToUser(sql`person`)}
         group by c.id`,
  );
  return new Map(rows.map(({ id, people }) => [Number(id), people.map(Number)]));
}
