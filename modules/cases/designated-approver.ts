import { caseIsVisibleToAdmin } from './case-access.ts';

/**
 * Who is to decide about a case's requests (decisions, section 8): the person set on the case, else its first parent who is
 * none of the `makers`, because a maker is never the checker; all of them only while they see the case. An expression: the id, or null when staff have to.
 * @param alias of `case_file`.
 * @param makers an expression of an array of ids; any may be null.
 */
export function designatedApprover(alias: string, makers = "'{}'::bigint[]"): string {
  return `(select u.id
     from (select ${alias}.approver_id as user_id, -1 as position
           union all
           select p.user_id, p.position from case_participant p where p.case_id = ${alias}.id and p.left_at is null) candidate
     join user_account u on u.id = candidate.user_id and u.status = 'active'
    where (u.user_type = 'ip' or candidate.position < 0)
      and (u.user_type = 'admin' and ${caseIsVisibleToAdmin(alias, 'candidate.user_id')} or exists (
        select from case_participant p where p.case_id = ${alias}.id and p.user_id = u.id and p.left_at is null))
      and (u.id = any (${makers})) is not true
    order by candidate.position, u.id limit 1)`;
}
