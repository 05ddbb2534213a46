import type { User } from '@case-platform/modules/accounts';

/**
 * Who sees a chain, as conditions on `message_chain c`; the user's id is `$1` unless another expression is given. Access is
 * part of every query that reads chains, messages or files, never a filter afterwards.
 */

/** 'Message behaviour' 1: threads that they created or are a recipient of, and have not left. */
const VISIBLE_TO_MEMBER = `exists (
  select from message_chain_group g where g.chain_id = c.id and g.user_id = $1 and g.left_at is null)`;

/** The admin's cases: those of whose team they are, and those whose Escrow Specialist they are. */
const casesOfAdmin = (admin: string) => `(
  select a.case_id from case_admin a where a.user_id = ${admin}
  union select f.id from case_file f where f.escrow_specialist_id = ${admin})`;

const mayReassign = (admin: string) => `exists (
  select from user_account u join admin_role_permission g on g.admin_role_id = u.admin_role_id
   where u.id = ${admin} and g.permission = 'reassign_threads')`;

/**
 * 'Message behaviour' 2: threads assigned to them, linked to their cases, or started by them; with `reassign_threads` also
 * the queue of those that nobody owns, so that nothing is lost from sight (decisions, section 6).
 */
export function chainIsVisibleToAdmin(admin = '$1'): string {
  return `(
  c.assigned_admin_id = ${admin}
  or c.created_by = ${admin}
  or c.case_id in ${casesOfAdmin(admin)}
  or (c.assigned_admin_id is null and ${mayReassign(admin)}))`;
}

/**
 * The same as a set of ids, one branch a reason, for statements about many chains: with `or` PostgreSQL would look at every
 * chain there is. `conditions` are on `message_chain c`; `order`, the same everywhere, lets each branch stop early.
 */
function chainsOfAdmin(conditions: string, order: string): string {
  const branch = (reason: string) => `(select c.id from message_chain c where ${reason} ${conditions} ${order})`;
  const ofCases = `(select c.id from ${casesOfAdmin('$1')} k cross join lateral (
      select c.id, c.last_message_id from message_chain c where c.case_id = k.case_id ${conditions} ${order}) c ${order})`;
  return [
    branch('c.assigned_admin_id = $1'),
    branch('c.created_by = $1'),
    ofCases,
    branch(`c.assigned_admin_id is null and ${mayReassign('$1')}`),
  ].join(' union ');
}

/** One walk along the index of this person's chains, which has the newest activity first. */
function chainsOfMember(conditions: string, order: string): string {
  return `(select c.id from message_chain_group g join message_chain c on c.id = g.chain_id
     where g.user_id = $1 and g.left_at is null ${conditions} ${order.replace('c.last_message_id', 'g.last_message_id')})`;
}

/** The ids of the chains that this user sees and that meet the conditions. */
export function visibleChains(user: Pick<User, 'user_type'>, conditions: string[] = [], order = ''): string {
  const more = conditions.map((condition) => ` and ${condition}`).join('');
  return user.user_type === 'admin' ? chainsOfAdmin(more, order) : chainsOfMember(more, order);
}

/** The condition for this user. */
export function chainIsVisible(user: Pick<User, 'user_type'>): string {
  return user.user_type === 'admin' ? chainIsVisibleToAdmin() : VISIBLE_TO_MEMBER;
}

/** Messages of chain `c` that this user has not viewed, as a condition on `message m`; `$1` is the user's id. */
export function messageIsUnread(user: Pick<User, 'user_type'>): string {
  return user.user_type === 'admin'
    ? 'm.to_admin and m.admin_viewed is null'
    : 'exists (select from message_recipient r where r.message_id = m.id and r.user_id = $1 and r.viewed is null)';
}
