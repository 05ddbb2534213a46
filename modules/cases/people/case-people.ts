import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { displayName, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { CASE_COLUMNS, type CaseSummary, caseIsVisible } from '../case-access.ts';
import { listCases } from '../list-cases.ts';

export interface CasePerson {
  user_id: number;
  user_type: UserType;
  name: string;
}

/** Everyone on a case who is not staff, the parents first, in their order. */
export async function listCasePeople(db: Executor, caseId: number): Promise<CasePerson[]> {
  const people = await query<User>(
    db,
    sql`select u.id, u.email_address, u.user_type, u.first_name, u.last_name
          from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${caseId} and p.left_at is null and u.status = 'active'
         order by u.user_type <> 'ip', p.position, u.id`,
  );
  return people.map((person) => ({ user_id: person.id, user_type: person.user_type, name: displayName(person) }));
}

/** Cases that this user sees and that all of these people are on, at most `limit`. */
export async function listSharedCases(
  db: Executor,
  user: User,
  peopleIds: readonly number[],
  limit: number,
): Promise<CaseSummary[]> {
  if (peopleIds.length === 0) return (await listCases(db, user, { limit })).data;
  return query<CaseSummary>(
    db,
    sql`select ${CASE_COLUMNS} from (
         select f.case_id from case_participant f where f.user_id = ${peopleIds[0] ?? 0} and f.left_at is null) one
       cross join lateral (select f.* from case_file f where f.id = one.case_id offset 0) c
      where ${caseIsVisible(user)}
        and not exists (
          select from unnest(${peopleIds}::bigint[]) person
           where not exists (select from case_participant p
                              where p.case_id = c.id and p.user_id = person and p.left_at is null))
      order by c.id ${limitTo(limit)}`,
  );
}
