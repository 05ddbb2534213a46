import { type Executor, run } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import { CASE_IS_VISIBLE, caseAccessParameters } from '@case-platform/modules/cases';

/** `$1` is the user's id. */
const MAY_VIEW_ALL = (permissions: string) => `exists (
  select from user_account u join admin_role_permission g on g.admin_role_id = u.admin_role_id
   where u.id = $1 and u.user_type = 'admin' and g.permission in (${permissions}))`;

/**
 * Who sees a request: whoever sees its case, and admins with `view_drs`. A condition on `case_file c`; it takes
 * `caseAccessParameters` first.
 */
export const DISBURSEMENT_IS_VISIBLE = `(${CASE_IS_VISIBLE} or ($2 = 'admin' and ${MAY_VIEW_ALL("'view_drs'")}))`;

/**
 * What nobody has sent yet is its writer's own; staff see that it is there (decisions, section 14). A condition on
 * `disbursement_request d`, beside the one on its case; `$1` is the user's id.
 */
const IS_SENT_OR_OWN = '(d.submitted_at is not null or d.created_by = $1)';

/** The same where the user's type is `$2`. */
export const DRAFT_IS_VISIBLE = `($2 = 'admin' or ${IS_SENT_OR_OWN})`;

/** The same for a user whose type is known, to be added to other conditions. */
export function andDraftIsVisible({ user_type }: Pick<User, 'user_type'>): string {
  return user_type === 'admin' ? '' : ` and ${IS_SENT_OR_OWN}`;
}

/**
 * Who has a part in a request `d`: wrote it, sent it, or changed its amount or payee. None of them decides about it. An
 * expression: an array of ids, of which some may be null.
 */
export const MAKERS = '(array[d.created_by, d.submitted_by] || d.revised_by)';

const AS_PARTICIPANT = 'select p.case_id from case_participant p where p.user_id = $1 and p.left_at is null';
const AS_SPECIALIST = 'select f.id from case_file f where f.escrow_specialist_id = $1';
const IN_TEAM = 'select a.case_id from case_admin a where a.user_id = $1';

/**
 * The same as a set of ids, one branch a reason, for lists: with `or` PostgreSQL would look at every request there is. `$1`
 * is the user's id, `place` makes a placeholder. `conditions` are on `disbursement_request d`; `order`, the same everywhere,
 * lets each branch stop early.
 */
export function visibleDisbursements(
  { user_type, agency_id }: Pick<User, 'user_type' | 'agency_id'>,
  { conditions, order, place }: { conditions: string; order: string; place: (value: unknown) => string },
): string {
  const ofCases = (...cases: string[]) => `(select d.id from (${cases.join(' union ')}) k cross join lateral (
    select d.id from disbursement_request d where d.case_id = k.case_id ${conditions} ${order}) d ${order})`;
  if (user_type === 'owner' && agency_id !== null) {
    return ofCases(AS_PARTICIPANT, `select f.id from case_file f where f.agency_id = ${place(agency_id)}`);
  }
  if (user_type !== 'admin') return ofCases(AS_PARTICIPANT);
  const everywhere = MAY_VIEW_ALL("'view_drs', 'view_all_cases'");
  return `(select d.id from disbursement_request d where ${everywhere} ${conditions} ${order})
    union ${ofCases(IN_TEAM, AS_SPECIALIST)}`;
}

/** @throws {NotFoundError} for a case whose requests this user does not see. */
export async function requireCaseDisbursements(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseId: number,
): Promise<void> {
  const found = await run(db, `select c.id from case_file c where c.id = $4 and ${DISBURSEMENT_IS_VISIBLE}`, [
    ...caseAccessParameters(user),
    caseId,
  ]);
  if (found.length === 0) throw new NotFoundError();
}

/** The case of a request, whoever asks; null when there is no such request. For guards, which then ask about the case. */
export async function findDisbursementCase(db: Executor, id: number): Promise<number | null> {
  const [found] = await run<{ case_id: number }>(db, 'select case_id from disbursement_request where id = $1', [id]);
  return found?.case_id ?? null;
}
