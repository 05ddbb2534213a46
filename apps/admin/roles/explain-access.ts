import {
  findActiveUserById,
  findAdminRights,
  MOVES_MONEY,
  type Permission,
  permissionWords,
  type UserRecord,
} from '@case-platform/modules/accounts';
import {
  type CaseAccessExplanation,
  type CaseAccessReason,
  explainCaseAccess,
  listStaffWhoCan,
} from '@case-platform/modules/cases';
import type { AdminContext } from '../context.ts';
import { type Decision, decide, type GuardRule } from '../guards/guards.ts';

/** Something that decides the answer, and who can change it. */
interface AccessCause {
  words: string;
  /** The page on which it is changed. */
  page: { href: string; name: string } | null;
  /** The names of those who can. */
  who: string[];
}

export interface Explanation extends Decision {
  rule: GuardRule;
  strict: boolean;
  /** Each reason to see the chosen case; null without a case, or for one that does not exist. */
  caseReasons: CaseAccessExplanation | null;
  causes: AccessCause[];
}

/** Completes "They see CASE because …". */
const CASE_CAUSES: Record<CaseAccessReason, string> = {
  participant: 'they are on it',
  agency_owner: 'they own its agency',
  escrow_specialist: 'they are its escrow specialist',
  case_team: 'they are on its team',
  view_all_cases: 'their role can see all cases',
};

/**
 * Explains what a guard would decide about a person, with the function that the guards use. A person without an active account
 * cannot sign in, so the guard treats them as a visitor.
 */
export async function explainAccess(
  { db, config }: AdminContext,
  rule: GuardRule,
  { person, case_id }: { person: UserRecord; case_id: number | undefined },
): Promise<Explanation> {
  const user = await findActiveUserById(db, person.id);
  const rights = user?.user_type === 'admin' ? await findAdminRights(db, user.id) : null;
  const admin = rights === null ? null : { ...rights, can: rights.permissions.has.bind(rights.permissions) };
  const caseReasons = user === null || case_id === undefined ? null : await explainCaseAccess(db, user, case_id);
  const hasCaseAccess = Object.values(caseReasons?.reasons ?? {}).includes(true);
  const strict = config.strictPageGuard;
  const actor = user === null ? null : { user, admin };
  const decision = decide(rule, { actor, hasCaseAccess, strict });
  const causes = await findCauses(db, decision, { person, caseReasons, case_id });
  return { ...decision, rule, strict, caseReasons, causes };
}

interface Circumstances {
  person: UserRecord;
  caseReasons: CaseAccessExplanation | null;
  case_id: number | undefined;
}

/** Finds what decides the answer and who can change it; if the answer is no, only what is missing. */
async function findCauses(
  db: AdminContext['db'],
  { verdict, checks, authorized }: Decision,
  { person, caseReasons, case_id }: Circumstances,
): Promise<AccessCause[]> {
  const personPage = { href: `/users/${person.id}`, name: 'Open the person' };
  const whoCan = (permission: Permission, onCase?: number) => listStaffWhoCan(db, permission, onCase);
  if (verdict === 'sign_in') {
    const words =
      person.status === 'invited' ? 'They have to accept their invitation.' : 'Someone has to reactivate the account.';
    return [{ words, page: personPage, who: await whoCan('edit_users') }];
  }
  if (!checks.userType.holds) return [{ words: 'This is for staff only. No setting changes that.', page: null, who: [] }];

  const causes: AccessCause[] = [];
  const permission = checks.permission.required === null ? checks.category : checks.permission;
  if (permission.required !== null && permission.holds === authorized) {
    const { admin_role_id: role } = person;
    const page = role === null ? personPage : { href: `/roles/${role}`, name: 'Open the role' };
    causes.push({ words: roleWords(person, permission), page, who: await whoCan('manage_roles') });
  }
  if (
    caseReasons !== null &&
    case_id !== undefined &&
    checks.caseAccess.holds === authorized &&
    checks.caseAccess.required !== null
  ) {
    const reasons = Object.entries(CASE_CAUSES).filter(([name]) => caseReasons.reasons[name as CaseAccessReason]);
    const words = authorized
      ? `They see ${caseReasons.case_name} because ${reasons.map(([, because]) => because).join(' and ')}.`
      : `They have to be added to the team of ${caseReasons.case_name}.`;
    const page = { href: `/cases/${case_id}/edit`, name: 'Edit the case' };
    causes.push({ words, page, who: await whoCan('assign_case', case_id) });
  }
  return causes;
}

function roleWords({ role_name }: UserRecord, { required, present, holds }: Decision['checks']['permission']): string {
  const quoted = (permissions: readonly Permission[]) => permissions.map((one) => `“${permissionWords(one)}”`).join(' or ');
  const role = role_name === null ? 'They have no role' : `Their role, ${role_name},`;
  if (holds) return `${role} includes ${quoted(present)}.`;
  const missing = role_name === null ? role : `${role} doesn’t include ${quoted(required ?? [])}`;
  const second = required?.every((one) => MOVES_MONEY.includes(one)) ? ' A second administrator has to confirm it.' : '';
  return `${missing}. It has to be added, or they need another role.${second}`;
}
