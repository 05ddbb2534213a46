import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import { CASE_ACCESS_REASONS, caseAccessParameters } from './case-access.ts';

export type CaseAccessReason = keyof typeof CASE_ACCESS_REASONS;
export const CASE_ACCESS_REASON_NAMES = Object.keys(CASE_ACCESS_REASONS) as CaseAccessReason[];

export interface CaseAccessExplanation {
  case_name: string;
  /** Which reasons hold for this user; access is any of them. */
  reasons: Record<CaseAccessReason, boolean>;
}

const COLUMNS = Object.entries(CASE_ACCESS_REASONS).map(([name, condition]) => `${condition} is true as ${name}`);

/**
 * Why a user sees a case, or not: each of the conditions that `canAccessCase` is made of, by itself. For whoever may know
 * that the case exists.
 * @returns null for a case that does not exist.
 */
export async function explainCaseAccess(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseId: number,
): Promise<CaseAccessExplanation | null> {
  const [found] = await run<Record<CaseAccessReason, boolean> & { case_name: string }>(
    db,
    `select c.name as case_name, ${COLUMNS.join(', ')} from case_file c where c.id = $4`,
    [...caseAccessParameters(user), caseId],
  );
  if (found === undefined) return null;
  const { case_name, ...reasons } = found;
  return { case_name, reasons };
}
