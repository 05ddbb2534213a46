import type { User } from '@case-platform/modules/accounts';

/**
 * Who sees a chain, as conditions on `message_chain c`; `$1` is the user's id. Access is part of every query that reads
 * chains, messages or files, never a filter afterwards.
 */

/** 'Message behaviour' 1: threads that they created or are a recipient of, and have not left. */
const VISIBLE_TO_MEMBER = `exists (
  select from message_chain_group g where g.chain_id = c.id and g.user_id = $1 and g.left_at is null)`;

/**
 * 'Message behaviour' 2: threads assigned to them, linked to their cases, or started by them; with `reassign_threads` also
 * the queue of those that nobody owns, so that nothing is lost from sight (decisions, section 6).
 */
const VISIBLE_TO_ADMIN = `(
  c.assigned_admin_id = $1
  or c.created_by = $1
  or c.case_id in (select a.case_id from case_admin a where a.user_id = $1
                   union all select f.id from case_file f where f.escrow_specialist_id = $1)
  or (c.assigned_admin_id is null and exists (
        select from user_account u join admin_role_permission g on g.admin_role_id = u.admin_role_id
         where u.id = $1 and g.permission = 'reassign_threads')))`;

/** The condition for this user. */
export function chainIsVisible(user: Pick<User, 'user_type'>): string {
  return user.user_type === 'admin' ? VISIBLE_TO_ADMIN : VISIBLE_TO_MEMBER;
}

/** Messages of chain `c` that this user has not viewed, as a condition on `message m`; `$1` is the user's id. */
export function messageIsUnread(user: Pick<User, 'user_type'>): string {
  return user.user_type === 'admin'
    ? 'm.to_admin and m.admin_viewed is null'
    : 'exists (select from message_recipient r where r.message_id = m.id and r.user_id = $1 and r.viewed is null)';
}
