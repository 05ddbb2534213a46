import type { Executor } from '@case-platform/lib/database';
import { listOf, query, sql, trustedSql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_ACCESS_REASON_NAMES, type CaseAccessReason, caseAccessReason } from './case-access.ts';

export interface CaseAccessExplanation {
  case_name: string;
  reasons: Record<CaseAccessReason, boolean>;
}

/**
 * Explains why a user sees a case or not, reason by reason (SHOWN-7). The caller must check that the reader may know that the
 * case exists.
 * @returns null for a case that does not exist.
 */
export async function explainCaseAccess(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseId: number,
): Promise<CaseAccessExplanation | null> {
  const columns = CASE_ACCESS_REASON_NAMES.map((name) => sql`${caseAccessReason(name, user)} is true as ${trustedSql(name)}`);
  const [row] = await query<Record<CaseAccessReason, boolean> & { case_name: string }>(
    db,
    sql`select c.name as case_name, ${listOf(columns)} from case_file c where c.id = ${caseId}`,
  );
  if (row === undefined) return null;
  const { case_name, ...reasons } = row;
  return { case_name, reasons };
}
