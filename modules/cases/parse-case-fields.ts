import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { cleanLine, hasAddress, isFormula } from '@case-platform/lib/text/human-text';
import { ADDRESS_IN_NAME, fullName } from '@case-platform/modules/accounts';
import { parseDay } from '@case-platform/words/days';
import { CASE_NAME_MAX } from '@case-platform/words/limits';

/** @throws {InvalidInputError} for a name that is empty, too long, a formula, or contains an address. */
export function parseCaseName(name: string): string {
  const trimmed = cleanLine(name);
  if (trimmed === '') throw invalid('name', 'Give the case a name.');
  if ([...trimmed].length > CASE_NAME_MAX) throw invalid('name', `Enter a name of up to ${CASE_NAME_MAX} characters.`);
  if (isFormula(trimmed)) throw invalid('name', `The name can’t start with ${trimmed[0]}.`);
  if (hasAddress(trimmed)) throw invalid('name', ADDRESS_IN_NAME);
  return trimmed;
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
