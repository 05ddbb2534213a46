import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql, unionOf } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { ownCases } from '@case-platform/modules/cases';
import type { UserType } from '@case-platform/words/user-types';

/** Finds which of these cases each person sees now, by person id, with the same conditions as everywhere else (CASE-12). */
export async function findCaseAudience(
  db: Executor,
  caseIds: readonly number[],
  people: readonly Pick<User, 'id' | 'user_type'>[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const cases = sql`unnest(${caseIds}::bigint[])`;
  const peopleOf = (user_type: UserType): Sql => {
    const some = people.filter((person) => kindOf(person.user_type) === user_type);
    // Reads the current agency, because a stream stays open for hours.
    return sql`(select u.id, u.agency_id from user_account u where u.id = any(${some.map(({ id }) => id)}::bigint[])) person`;
  };
  const seers = (user_type: UserType): Sql =>
    sql`select person.id as user_id, k.case_id from ${peopleOf(user_type)} cross join lateral (${ownCases({
      id: sql`person.id`,
      user_type,
      agency_id: sql`person.agency_id`,
    })}) k where k.case_id in (select ${cases})`;
  const rows = await query<{ user_id: number; case_ids: number[] }>(
    db,
    sql`select user_id, array_agg(case_id) as case_ids from (
          ${unionOf([
            ...KINDS.map(seers),
            sql`select person.id, case_id from ${peopleOf('admin')}, ${cases} changed (case_id)
                 where ${adminHasPermission(sql`person.id`, 'view_all_cases')}`,
          ])}) seen
        group by user_id`,
  );
  return new Map(rows.map(({ user_id, case_ids }) => [user_id, new Set(case_ids.map(Number))]));
}

/** Types with different reasons to see a case. `ip` also covers all types that see cases only as participants. */
const KINDS: readonly UserType[] = ['ip', 'cm', 'owner', 'admin'];
const kindOf = (user_type: UserType): UserType => (KINDS.includes(user_type) ? user_type : 'ip');
