import { type Executor, run } from '@case-platform/lib/database';
import { toPrefixQuery } from '@case-platform/lib/prefix-query';
import { type Sql, sql } from '@case-platform/lib/sql';

/** Up to so many, what is found is looked at one by one; beyond, the words are common, and any order has some of it soon. */
const FEW = 500;
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** What staff look for: the few cases that it is, or words that many cases have. */
export type CaseMatches = { ids: number[] } | { words: string };

/**
 * Finds what an admin looks for, wherever it is: beginnings of words of a case's name, or of the name or address of somebody
 * on it, or the case's number. Access is the business of the statement that uses it.
 */
export async function findCaseMatches(db: Executor, q: string): Promise<CaseMatches> {
  const text = q.trim();
  const words = toPrefixQuery(text);
  const number = Number(NUMBER.exec(text)?.[1] ?? 0);
  if (words === null) return { ids: number === 0 ? [] : [number] };
  const rows = await run<{ id: number }>(
    db,
    `(select f.id from case_file f where f.search @@ to_tsquery('simple', $1) limit $2)
     union
     (select p.case_id from (select u.id from user_account u where u.search @@ to_tsquery('simple', $1) limit $2) u
       cross join lateral (
         select p.case_id from case_participant p where p.user_id = u.id and p.left_at is null limit $2) p limit $2)
     union select $3::bigint`,
    [words, FEW, number],
  );
  return rows.length > FEW ? { words } : { ids: rows.map(({ id }) => id) };
}

/** The same words as a condition on `case_file c`, for those that many cases have. */
export function caseHasWords(words: string): Sql {
  return sql`(c.search @@ to_tsquery('simple', ${words}) or exists (
    select from case_participant p join user_account u on u.id = p.user_id
     where p.case_id = c.id and p.left_at is null and u.search @@ to_tsquery('simple', ${words})))`;
}
