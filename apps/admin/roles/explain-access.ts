import { findActiveUserById, findAdminRights } from '@case-platform/modules/accounts';
import { type CaseAccessExplanation, explainCaseAccess } from '@case-platform/modules/cases';
import type { AdminContext } from '../context.ts';
import { type Decision, decide, type GuardRule } from '../guards/guards.ts';

export interface Explanation extends Decision {
  rule: GuardRule;
  strict: boolean;
  /** Each reason to see the chosen case; null without a case, or for one that does not exist. */
  caseReasons: CaseAccessExplanation | null;
}

/**
 * Explains what a guard would decide about a person, with the function that the guards use. A person without an active account
 * cannot sign in, so the guard treats them as a visitor.
 */
export async function explainAccess(
  { db, config }: AdminContext,
  rule: GuardRule,
  { user_id, case_id }: { user_id: number; case_id: number | undefined },
): Promise<Explanation> {
  const user = await findActiveUserById(db, user_id);
  const rights = user?.user_type === 'admin' ? await findAdminRights(db, user.id) : null;
  const admin = rights === null ? null : { ...rights, can: rights.permissions.has.bind(rights.permissions) };
  const caseReasons = user === null || case_id === undefined ? null : await explainCaseAccess(db, user, case_id);
  const hasCaseAccess = Object.values(caseReasons?.reasons ?? {}).includes(true);
  const strict = config.strictPageGuard;
  const actor = user === null ? null : { user, admin };
  return { ...decide(rule, { actor, hasCaseAccess, strict }), rule, strict, caseReasons };
}
