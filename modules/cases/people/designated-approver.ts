import { type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson } from '@case-platform/modules/accounts';
import { caseIsVisibleToAdmin } from '../case-access.ts';

/**
 * A condition: an admin may decide about requests of `case_file c`, because they have `approve_drs` and see the case
 * (APPROVER-2).
 * @param admin an expression of their id.
 */
export function staffMayDecide(admin: Sql): Sql {
  return sql`(${adminHasPermission(admin, 'approve_drs')} and ${caseIsVisibleToAdmin(admin)})`;
}

/**
 * The person who decides about a case's requests (APPROVER-1): the approver set on the case, otherwise its first parent, who is
 * none of the people in `makers` and not under their control. They must see the case, and staff must have `approve_drs`. An
 * expression on `case_file c`: the id, or null if staff with `approve_drs` decide.
 * @param makers an array of ids, or an expression of one; elements may be null.
 */
export function designatedApprover(makers: readonly number[] | Sql = []): Sql {
  return sql`(select u.id
     from (select c.approver_id as user_id, -1 as position
           union all
           select p.user_id, p.position from case_participant p where p.case_id = c.id and p.left_at is null) candidate
     join user_account u on u.id = candidate.user_id and u.status = 'active'
    where (u.user_type = 'ip' or candidate.position < 0)
      and (u.user_type = 'admin' and ${staffMayDecide(sql`candidate.user_id`)} or exists (
        select from case_participant p where p.case_id = c.id and p.user_id = u.id and p.left_at is null))
      and ${canBeSecondPerson(sql`u.id`, makers)}
    order by candidate.position, u.id limit 1)`;
}
