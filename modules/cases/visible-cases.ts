import type { UserType } from '@case-platform/modules/accounts';

/** Makes a placeholder for a parameter. */
type Place = (value: unknown) => string;
/** Why somebody sees a case, as conditions on `case_file c`; `$1` is the user's id. */
type Reasons = (mine: boolean, place: Place, agencyId: number | null) => string[];

const AS_PARTICIPANT = 'c.id in (select p.case_id from case_participant p where p.user_id = $1 and p.left_at is null)';
const AS_SPECIALIST = 'c.escrow_specialist_id = $1';
const IN_TEAM = 'c.id in (select a.case_id from case_admin a where a.user_id = $1)';
const BY_PERMISSION = `exists (
  select from user_account u join admin_role_permission g on g.admin_role_id = u.admin_role_id
   where u.id = $1 and g.permission = 'view_all_cases')`;

const participant: Reasons = () => [AS_PARTICIPANT];
const owner: Reasons = (_mine, place, agencyId) =>
  agencyId === null ? [AS_PARTICIPANT] : [AS_PARTICIPANT, `c.agency_id = ${place(agencyId)}`];
const admin: Reasons = (mine) => (mine ? [AS_SPECIALIST, IN_TEAM] : [AS_SPECIALIST, IN_TEAM, BY_PERMISSION]);

/**
 * `CASE_IS_VISIBLE` for lists: one condition a reason, for a query that asks for each by itself. With `or` between them
 * PostgreSQL would look at every case there is.
 */
export const VISIBLE_CASES: Record<UserType, Reasons> = {
  admin,
  owner,
  cm: participant,
  ip: participant,
  ip_rep: participant,
  surrogate: participant,
};
