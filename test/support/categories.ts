import type pg from 'pg';

/** Categories of the test cases, each with a limit that no test reaches by chance. */
const TEST_CATEGORIES = [
  'Allowance',
  'Base compensation',
  'Childcare',
  'Clothing',
  'Food',
  'Hotel',
  'Insurance',
  'Legal fees',
  'Lost wages',
  'Maternity clothing',
  'Medical',
  'Monthly allowance',
  'Parking',
  'Pharmacy',
  'Travel',
];

/** Adds categories to cases, so that their requests and scheduled payments can use them. */
export async function addCategories(
  pool: Pick<pg.Pool, 'query'>,
  caseIds: readonly number[],
  categories: readonly string[] = TEST_CATEGORIES,
): Promise<void> {
  await pool.query(
    `insert into case_benefit (case_id, category, period, cap_cents)
     select case_id, category, 'case', 9999999999 from unnest($1::bigint[]) case_id, unnest($2::text[]) category
     on conflict do nothing`,
    [caseIds, categories],
  );
}
