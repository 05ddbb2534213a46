import { type Executor, run } from '@case-platform/lib/database';
import { displayName, type User, type UserType } from '@case-platform/modules/accounts';

export interface CasePerson {
  user_id: number;
  user_type: UserType;
  name: string;
}

/** Everyone of a case who is not staff, the parents first, in their order. */
export async function listCasePeople(db: Executor, caseId: number): Promise<CasePerson[]> {
  const people = await run<User>(
    db,
    `select u.id, u.email_address, u.user_type, u.first_name, u.last_name
       from case_participant p join user_account u on u.id = p.user_id
      where p.case_id = $1 and p.left_at is null and u.status = 'active'
      order by u.user_type <> 'ip', p.position, u.id`,
    [caseId],
  );
  return people.map((person) => ({ user_id: person.id, user_type: person.user_type, name: displayName(person) }));
}

/** Of these ids, the ones who are on a case with this user (on the given case, when there is one). */
export async function filterCaseFellows(
  db: Executor,
  userId: number,
  otherIds: readonly number[],
  caseId: number | null,
): Promise<number[]> {
  const rows = await run<{ user_id: number }>(
    db,
    `select distinct theirs.user_id
       from case_participant mine join case_participant theirs on theirs.case_id = mine.case_id and theirs.left_at is null
      where mine.user_id = $1 and mine.left_at is null and theirs.user_id = any($2::bigint[])
        and ($3::bigint is null or mine.case_id = $3)`,
    [userId, otherIds, caseId],
  );
  return rows.map((row) => row.user_id);
}
