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

/** The cases that somebody sees by being on them; `$1` to `$3` as in `CASE_IS_VISIBLE`. */
const OWN_CASES = `(
  select p.case_id from case_participant p where p.user_id = $1 and p.left_at is null
  union select f.id from case_file f where $2 = 'owner' and f.agency_id = $3
  union select f.id from case_file f where $2 = 'admin' and f.escrow_specialist_id = $1
  union select a.case_id from case_admin a where $2 = 'admin' and a.user_id = $1)`;

/**
 * The same as a set of ids, one branch a reason, for lists: with `or` PostgreSQL would look at every request there is.
 * `conditions` are on `disbursement_request d`; `order`, the same everywhere, lets each branch stop early.
 */
export function visibleDisbursements(conditions: string, order: string): string {
  const everywhere = MAY_VIEW_ALL("'view_drs', 'view_all_cases'");
  return `(select d.id from disbursement_request d where $2 = 'admin' and ${everywhere} ${conditions} ${order})
    union
    (select d.id from ${OWN_CASES} k cross join lateral (
       select d.id from disbursement_request d where d.case_id = k.case_id ${conditions} ${order}) d ${order})`;
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
