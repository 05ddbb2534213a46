import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { allOf, anyOf, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { type CaseReader, caseIsVisible } from '@case-platform/modules/cases';

/**
 * Whether a reader who sees a case may also know what it holds: everyone but surrogates, whose business is what they ask for and
 * not what the parents have; admins with one of these permissions.
 */
function mayKnow({ id, user_type }: Pick<CaseReader, 'id' | 'user_type'>): Sql {
  if (user_type === 'admin') return adminHasPermission(id, 'view_drs', 'view_case_details', 'make_payments');
  return user_type === 'surrogate' ? sql`false` : sql`true`;
}

/** Who sees what a case holds: of the staff also those who work on the money of all cases. A condition on `case_file c`. */
export function balanceIsVisible(reader: CaseReader): Sql {
  const ofSeen = sql`(${allOf([caseIsVisible(reader), mayKnow(reader)])})`;
  return reader.user_type === 'admin'
    ? anyOf([ofSeen, adminHasPermission(reader.id, 'view_drs', 'make_payments')])
    : ofSeen;
}

/** Whether the reader may know what the cases hold that they see. */
export async function mayViewBalance(db: Executor, reader: Pick<CaseReader, 'id' | 'user_type'>): Promise<boolean> {
  const [answer] = await query<{ may: boolean }>(db, sql`select ${mayKnow(reader)} as may`);
  return answer?.may === true;
}

/**
 * What to say where a case's money was not found in the reader's own access (STATEMENT-2).
 * @throws {ForbiddenError} where they see the case, but not what it holds. @throws {NotFoundError} otherwise.
 */
export async function refuseBalance(db: Executor, reader: CaseReader, caseId: number): Promise<never> {
  const seen = await query(db, sql`select c.id from case_file c where c.id = ${caseId} and ${caseIsVisible(reader)}`);
  if (seen.length > 0) throw new ForbiddenError('You can’t see this case’s balance.', 'not_visible');
  throw new NotFoundError();
}
