import { type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, mayBeSecond } from '@case-platform/modules/accounts';
import { caseIsVisibleToAdmin } from './case-access.ts';

/**
 * Whether an admin may be asked about the requests of `case_file c`: their role approves requests, and they see the case. A
 * condition.
 * @param admin an expression of their id.
 */
export function staffMayDecide(admin: Sql): Sql {
  return sql`(${adminHasPermission(admin, 'approve_drs')} and ${caseIsVisibleToAdmin(admin)})`;
}

/**
 * Who is to decide about a case's requests (APPROVER-1): the person set on the case, else its first parent who is
 * none of the persons among `makers`, because a maker is never the checker; all of them only while they see the case and have
 * their own address, and staff while their role approves requests. An expression on `case_file c`: the id, or null when staff
 * have to.
 * @param makers an array of ids, or an expression of one; any may be null.
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
      and ${mayBeSecond(sql`u.id`, makers)}
    order by candidate.position, u.id limit 1)`;
}
