import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';

export interface PeopleOfCase {
  /** People who are not staff, parents first, then surrogates. */
  names: string[];
  escrow_specialist_name: string | null;
}

/** The people on these cases, for lists. The caller must have checked access to the cases. */
export async function listPeopleOfCases(db: Executor, caseIds: readonly number[]): Promise<ReadonlyMap<number, PeopleOfCase>> {
  if (caseIds.length === 0) return new Map();
  const rows = await query<PeopleOfCase & { id: number }>(
    db,
    sql`select c.id,
               ${fullName(sql`s`)}
                 as escrow_specialist_name,
               array(select ${fullName(sql`u`)}
                       from case_participant p join user_account u on u.id = p.user_id
                      where p.case_id = c.id and p.left_at is null and u.status = 'active'
                      order by array_position(${IN_SHORT}::text[], u.user_type), p.position, u.id) as names
          from case_file c left join user_account s on s.id = c.escrow_specialist_id
         where c.id = any(${[...new Set(caseIds)]}::bigint[])`,
  );
  return new Map(rows.map(({ id, ...people }) => [id, people]));
}

const IN_SHORT: UserType[] = ['ip', 'surrogate', 'ip_rep', 'cm', 'owner'];
