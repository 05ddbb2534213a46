import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/**
 * Whether somebody is one of those whom these records name: records that share, or have ever shared, an email address or a
 * confirmed phone number are one person (decisions, section 11; decision 0015). The database's triggers ask the same function. A condition.
 * @param record an id, or an expression of one. @param others ids, or an expression of an array; any may be null.
 */
export function isPersonAmong(record: number | Sql, others: readonly number[] | Sql): Sql {
  // Asked once a statement, and not once a row, where the record is a parameter.
  return sql`coalesce((select person_records(${record})) && ${others}::bigint[], false)`;
}

/**
 * What takes two people takes two persons.
 * @param actor who wants to do the second part; null: the platform itself.
 * @throws {ForbiddenError} `same_person` when they are one of those who have a part already.
 */
export async function refuseSamePerson(
  db: Executor,
  actor: { id: number } | null,
  others: readonly (number | null)[] | Sql,
  words: string,
): Promise<void> {
  if (actor === null) return;
  const records = Array.isArray(others) ? others.filter((id) => id !== null) : (others as Sql);
  const [found] = await query<{ is_same: boolean }>(db, sql`select ${isPersonAmong(actor.id, records)} as is_same`);
  if (found?.is_same === true) throw new ForbiddenError(words, 'same_person');
}
