import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { type CaseReader, caseIsVisible } from '@case-platform/modules/cases';

/**
 * A condition: someone who sees a case can also see its balance. Surrogates may not (FUNDS-4), and admins need one of these
 * permissions.
 */
function balanceIsAllowed({ id, user_type }: Pick<CaseReader, 'id' | 'user_type'>): Sql {
  if (user_type === 'admin') return adminHasPermission(id, 'view_drs', 'view_case_details', 'make_payments');
  return user_type === 'surrogate' ? sql`false` : sql`true`;
}

/** A condition on `case_file c`: the reader sees the case and may see its balance (CASE-2). */
export function balanceIsVisible(reader: CaseReader): Sql {
  return sql`(${allOf([caseIsVisible(reader), balanceIsAllowed(reader)])})`;
}

/** True if the reader can see the balance of cases that they see. */
export async function canViewBalance(db: Executor, reader: Pick<CaseReader, 'id' | 'user_type'>): Promise<boolean> {
  const [answer] = await query<{ allowed: boolean }>(db, sql`select ${balanceIsAllowed(reader)} as allowed`);
  return answer?.allowed === true;
}

/**
 * The error for a case whose balance the reader cannot see (STATEMENT-2): `ForbiddenError` with `not_visible` if they see the case,
 * `NotFoundError` otherwise.
 */
export async function hiddenBalanceError(
  db: Executor,
  reader: CaseReader,
  caseId: number,
): Promise<ForbiddenError | NotFoundError> {
  const cases = await query(db, sql`select c.id from case_file c where c.id = ${caseId} and ${caseIsVisible(reader)}`);
  return cases.length > 0 ? new ForbiddenError('You can’t see this case’s balance.', 'not_visible') : new NotFoundError();
}
