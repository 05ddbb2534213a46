import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';

/**
 * Who sees a case (decisions, section 8), reason by reason: conditions on `case_file c`; `$1` is the user's id, `$2` the
 * user's type, `$3` the agency.
 */
export const CASE_ACCESS_REASONS = {
  participant:
    'exists (select from case_participant p where p.case_id = c.id and p.user_id = $1 and p.left_at is null)',
  agency_owner: `($2 = 'owner' and c.agency_id = $3)`,
  escrow_specialist: `($2 = 'admin' and c.escrow_specialist_id = $1)`,
  case_team: `($2 = 'admin' and exists (select from case_admin a where a.case_id = c.id and a.user_id = $1))`,
  view_all_cases: `($2 = 'admin' and exists (
    select from user_account u join admin_role_permission g on g.admin_role_id = u.admin_role_id
     where u.id = $1 and g.permission = 'view_all_cases'))`,
} as const;

/** Whether a user sees a case: any of the reasons. */
export const CASE_IS_VISIBLE = `(${Object.values(CASE_ACCESS_REASONS).join('\n  or ')})`;

/**
 * Whether an admin sees a case, for queries that ask about many admins.
 * @param alias of `case_file`. @param admin an expression of the admin's id; not of a table called `u`, `a` or `g`.
 */
export function caseIsVisibleToAdmin(alias: string, admin: string): string {
  const { escrow_specialist, case_team, view_all_cases } = CASE_ACCESS_REASONS;
  const asked = [escrow_specialist, case_team, view_all_cases].join(' or ').replaceAll('$2', "'admin'");
  return `(${asked.replaceAll('$1', admin).replaceAll(/\bc\./g, `${alias}.`)})`;
}

/** The parameters that `CASE_IS_VISIBLE` takes first. */
export function caseAccessParameters(user: Pick<User, 'id' | 'user_type' | 'agency_id'>): unknown[] {
  return [user.id, user.user_type, user.agency_id];
}

/** The life of a case (decisions, section 8). */
export const CASE_STATUSES = [
  'intake',
  'pending_funding',
  'active',
  'on_hold',
  'closing',
  'closed',
  'cancelled',
] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export interface CaseSummary {
  id: number;
  name: string;
  status: CaseStatus;
  agency_id: number | null;
  escrow_specialist_id: number | null;
  created_at: Date;
  updated_at: Date;
}

/** The columns of a `CaseSummary`, of `case_file c`. */
export const CASE_COLUMNS = 'c.id, c.name, c.status, c.agency_id, c.escrow_specialist_id, c.created_at, c.updated_at';

/** The case, if this user may see it; else null. */
export async function findCase(db: Executor, user: User, caseId: number): Promise<CaseSummary | null> {
  const [found] = await run<CaseSummary>(
    db,
    `select ${CASE_COLUMNS} from case_file c where c.id = $4 and ${CASE_IS_VISIBLE}`,
    [...caseAccessParameters(user), caseId],
  );
  return found ?? null;
}

/** Whether the user has access to the case. */
export async function canAccessCase(db: Executor, user: User, caseId: number): Promise<boolean> {
  return (await findCase(db, user, caseId)) !== null;
}
