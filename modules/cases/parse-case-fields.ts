import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { parseCell, parseName } from '@case-platform/lib/text/typed-text';
import { fullName } from '@case-platform/modules/accounts';
import { parseDay } from '@case-platform/words/days';
import { CASE_NAME_MAX, CATEGORY_MAX } from '@case-platform/words/limits';

/** @throws {InvalidInputError} */
export function parseCaseName(name: string): string {
  return parseName(name, { field: 'name', label: 'The name', max: CASE_NAME_MAX, empty: 'Give the case a name.' });
}

/** @throws {InvalidInputError} */
export function parseCategory(category: string): string {
  return parseCell(category, { field: 'category', label: 'The category', max: CATEGORY_MAX, empty: 'Fill in the category.' });
}

/** @throws {InvalidInputError} for an agency that does not exist. */
export async function requireAgency(tx: Executor, agencyId: number | null): Promise<void> {
  if (agencyId === null) return;
  const agencies = await query(tx, sql`select id from agency where id = ${agencyId} for key share`);
  if (agencies.length === 0) throw invalid('agency_id', 'This agency doesn’t exist.');
}

/** Returns the name of an active admin. @throws {InvalidInputError} for anyone else. */
export async function requireActiveAdmin(tx: Executor, field: string, userId: number): Promise<string> {
  const [admin] = await query<{ name: string }>(
    tx,
    sql`select ${fullName(sql`user_account`)} as name
          from user_account where id = ${userId} and user_type = 'admin' and status = 'active' for key share`,
  );
  if (admin === undefined) throw invalid(field, 'Choose a colleague with an active account.');
  return admin.name;
}

/**
 * Returns a day as `YYYY-MM-DD`. @throws {InvalidInputError} for any other text, a day that does not exist, or a year outside
 * 2000 to 2100.
 */
export function parseCaseDay(field: string, day: string): string {
  const year = parseDay(day)?.slice(0, 4) ?? '';
  if (year < '2000' || year > '2100') throw invalid(field, 'Enter a valid date.');
  return day;
}
