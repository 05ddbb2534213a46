import type { Executor, Transaction } from '@case-platform/lib/database';
import { InvalidInputError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { OTHER_CATEGORY } from '@case-platform/words/categories';

/**
 * The categories of a case (CATEGORY-1): those that its contract limits, by name, then `Other`. A set `(category, place)`.
 * @param caseId an expression.
 */
function categoriesOf(caseId: Sql): Sql {
  return sql`select b.category, 0 as place from case_benefit b where b.case_id = ${caseId} and b.category <> ${OTHER_CATEGORY}
             union all select ${OTHER_CATEGORY}, 1`;
}

/** Lists the categories of requests and scheduled payments of a case. The caller has found the case through their own access. */
export async function listCaseCategories(db: Executor, caseId: number): Promise<string[]> {
  const rows = await query<{ category: string }>(
    db,
    sql`select c.category from (${categoriesOf(sql`${caseId}::bigint`)}) c order by c.place, lower(c.category)`,
  );
  return rows.map(({ category }) => category);
}

interface Categorized {
  caseId: number;
  /** As people typed it, on one line. */
  category: string;
  /** The line of the calendar that it pays: its category is as good as one of the list, which may have changed since. */
  scheduledPaymentId?: number | null | undefined;
}

/**
 * Requires a category of the case's list, to the letter: a look-alike would escape the contract's limit. The caller has locked
 * the case, so that the list stays as it is.
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
