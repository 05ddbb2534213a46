import { findActiveUserById } from '@case-platform/modules/accounts';
import { type CaseAccessExplanation, explainCaseAccess } from '@case-platform/modules/cases';
import { findAdminRights } from '@case-platform/modules/permissions';
import type { AdminServer } from '../admin-server.ts';
import { decide, type Facts, type Verdict } from '../guards/decide.ts';
import { factsOf, findGrounds, type Grounds } from '../guards/grounds.ts';
import type { GuardRule } from '../guards/guards.ts';

export interface Explanation {
  rule: GuardRule;
  grounds: Grounds;
  facts: Facts;
  verdict: Verdict;
  strict: boolean;
  /** Each reason to see the chosen case; null without a case, or for one that does not exist. */
  caseAccess: CaseAccessExplanation | null;
}

/**
 * What a guard would decide for somebody, and on what grounds: by the functions that the guards themselves use.
 * Whoever has no open account cannot sign in, and is judged as nobody.
 */
export async function explainAccess(
  { context: { db, config } }: Pick<AdminServer, 'context'>,
  rule: GuardRule,
  { user_id, case_id }: { user_id: number; case_id: number | undefined },
): Promise<Explanation> {
  const user = await findActiveUserById(db, user_id);
  const rights = user?.user_type === 'admin' ? await findAdminRights(db, user.id) : null;
  const admin = rights === null ? null : { ...rights, can: rights.permissions.has.bind(rights.permissions) };
  const caseAccess = user === null || case_id === undefined ? null : await explainCaseAccess(db, user, case_id);
  const sees = Object.values(caseAccess?.reasons ?? {}).includes(true);
  const grounds = findGrounds(
    user === null ? null : { user, admin },
    rule.options,
    rule.options.case_id === undefined ? null : sees,
  );
  const facts = factsOf(grounds);
  const strict = config.strictPageGuard;
  return { rule, grounds, facts, verdict: decide(rule.guard, facts, { strict }), strict, caseAccess };
}
