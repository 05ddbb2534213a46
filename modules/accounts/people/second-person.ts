import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/**
 * A condition: the record is the same person as one of the others. Records that share, or have ever shared, an email address or a
 * confirmed phone number are one person (PERSON-1). The database's triggers call the same function.
 * @param record an id, or an expression of one. @param others ids, or an expression of an array; elements may be null.
 */
export function isPersonAmong(record: number | Sql, others: readonly number[] | Sql): Sql {
  // As a subquery it runs once per statement instead of once per row, if the record is a parameter.
  return sql`coalesce((select person_records(${record})) && ${others}::bigint[], false)`;
}

/**
 * A condition: someone else changed this account's address recently, so the account may be under their control. It counts for a
 * week in everything, and for 30 days in what that person has a part in (ADDRESS-6). The database's triggers call the same
 * function. @param record, others as in `isPersonAmong`.
 */
function isOthersChecker(record: number | Sql, others: readonly number[] | Sql): Sql {
  return sql`is_others_checker(${record}, ${others}::bigint[])`;
}

/**
 * A condition: the record may be the second person beside the others, because it is neither one of them nor an account under
 * their control (PERSON-2). @param record, others as in `isPersonAmong`.
 */
export function canBeSecondPerson(record: number | Sql, others: readonly number[] | Sql): Sql {
  return sql`(not ${isPersonAmong(record, others)} and not ${isOthersChecker(record, others)})`;
}

/**
 * Requires that the actor is a different person from those who already have a part (PERSON-2).
 * @param actor the second person; null for the platform itself.
 * @throws {ForbiddenError} `same_person`, with these words, for a person who already has a part; `address_moved` if someone else
 * changed their address recently (ADDRESS-6).
 */
export async function requireSecondPerson(
  db: Executor,
  actor: { id: number } | null,
  others: readonly (number | null)[] | Sql,
  words: string,
): Promise<void> {
  if (actor === null) return;
  const records = Array.isArray(others) ? others.filter((id) => id !== null) : (others as Sql);
  const [relation] = await query<{ is_same: boolean; is_others: boolean }>(
    db,
    sql`select ${isPersonAmong(actor.id, records)} as is_same, ${isOthersChecker(actor.id, records)} as is_others`,
  );
  if (relation?.is_same === true) throw new ForbiddenError(words, 'same_person');
  if (relation?.is_others !== true) return;
  throw new ForbiddenError(
    'Someone else changed your email address recently, so another person has to decide this.',
    'address_moved',
  );
}
