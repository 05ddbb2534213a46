import type { Executor, Transaction } from '@case-platform/lib/database';
import { InvalidInputError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { OTHER_CATEGORY } from '@case-platform/words/categories';

/**
 * The categories of a case as `(category, place)`: its contract limits by name, then `Other` (CATEGORY-1).
 * @param caseId an expression.
 */
function categoriesOf(caseId: Sql): Sql {
  return sql`select b.category, 0 as place from case_benefit b where b.case_id = ${caseId} and b.category <> ${OTHER_CATEGORY}
             union all select ${OTHER_CATEGORY}, 1`;
}

/** Lists the categories of a case's requests and scheduled payments. The caller must have checked access to the case. */
export async function listCaseCategories(db: Executor, caseId: number): Promise<string[]> {
  const rows = await query<{ category: string }>(
    db,
    sql`select c.category from (${categoriesOf(sql`${caseId}::bigint`)}) c order by c.place, lower(c.category)`,
  );
  return rows.map(({ category }) => category);
}

interface Categorized {
  caseId: number;
  /** As typed, on one line. */
  category: string;
  /** The scheduled payment that the request pays. Its category is accepted even if the list has changed since. */
  scheduledPaymentId?: number | null | undefined;
}

/**
 * Requires a category from the case's list, spelled exactly, because a look-alike would escape the contract limit (CATEGORY-1).
 * The caller must have locked the case, so that the list does not change.
 * @throws {InvalidInputError} `unknown_category`.
 */
export async function requireCategory(
  tx: Transaction,
  { caseId, category, scheduledPaymentId = null }: Categorized,
): Promise<void> {
  const rows = await query(
    tx,
    sql`select from (${categoriesOf(sql`${caseId}::bigint`)}) c where c.category = ${category}
        union all
        select from scheduled_payment s
         where s.id = ${scheduledPaymentId} and s.case_id = ${caseId} and s.category = ${category} limit 1`,
  );
  if (rows.length > 0) return;
  const message = `This isn’t one of the case’s categories. Choose one from the list, or ${OTHER_CATEGORY}.`;
  throw new InvalidInputError([{ field: 'category', message }], 'unknown_category');
}
