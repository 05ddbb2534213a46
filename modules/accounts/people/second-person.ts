import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/**
 * Whether somebody is one of those whom these records name: records that share, or have ever shared, an email address or a
 * confirmed phone number are one person (PERSON-1). The database's triggers ask the same function. A condition.
 * @param record an id, or an expression of one. @param others ids, or an expression of an array; any may be null.
 */
export function isPersonAmong(record: number | Sql, others: readonly number[] | Sql): Sql {
  // Asked once a statement, and not once a row, where the record is a parameter.
  return sql`coalesce((select person_records(${record})) && ${others}::bigint[], false)`;
}

/**
 * Whether somebody else has given this account its address so lately that its word may be theirs: for a week nobody knows, and
 * for a month it is not taken where whoever asked for the address has a part (ADDRESS-6). The database's triggers ask the same
 * function. A condition. @param record, others as in `isPersonAmong`.
 */
function isOthersChecker(record: number | Sql, others: readonly number[] | Sql): Sql {
  return sql`is_others_checker(${record}, ${others}::bigint[])`;
}

/**
 * Whether somebody may be the second person where these have the first part: they are none of them, and nobody's creature. A
 * condition. @param record, others as in `isPersonAmong`.
 */
export function mayBeSecond(record: number | Sql, others: readonly number[] | Sql): Sql {
  return sql`(not ${isPersonAmong(record, others)} and not ${isOthersChecker(record, others)})`;
}

/**
 * What takes two people takes two persons.
 * @param actor who wants to do the second part; null: the platform itself.
 * @throws {ForbiddenError} `same_person`, with these words, when they are one of those who have a part already;
 * `address_moved` when somebody else has changed their address lately.
 */
export async function requireSecondPerson(
  db: Executor,
  actor: { id: number } | null,
  others: readonly (number | null)[] | Sql,
  words: string,
): Promise<void> {
  if (actor === null) return;
  const records = Array.isArray(others) ? others.filter((id) => id !== null) : (others as Sql);
  const [found] = await query<{ is_same: boolean; is_others: boolean }>(
    db,
    sql`select ${isPersonAmong(actor.id, records)} as is_same, ${isOthersChecker(actor.id, records)} as is_others`,
  );
  if (found?.is_same === true) throw new ForbiddenError(words, 'same_person');
  if (found?.is_others !== true) return;
  throw new ForbiddenError(
    'Someone else changed your email address recently, so another person has to decide this.',
    'address_moved',
  );
}
