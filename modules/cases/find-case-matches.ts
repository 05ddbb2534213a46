import type { Executor } from '@case-platform/lib/database';
import { toPrefixQuery } from '@case-platform/lib/database/prefix-query';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHolds } from '@case-platform/modules/permissions';

/** Up to so many, what is found is looked at one by one; beyond, the words are common, and any order has some of it soon. */
const FEW = 500;
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** What staff look for: the few cases that it is, or words that many cases have. */
export type CaseMatches = { ids: number[] } | { words: string };

/**
 * Finds what an admin looks for, wherever it is: beginnings of words of a case's name, or of the name or address of somebody
 * on it (the address only where they may see it), or the case's number. Access is the business of the statement that uses it.
 */
export async function findCaseMatches(db: Executor, adminId: number, q: string): Promise<CaseMatches> {
  const text = q.trim();
  const words = toPrefixQuery(text);
  const number = Number(NUMBER.exec(text)?.[1] ?? 0);
  if (words === null) return { ids: number === 0 ? [] : [number] };
  const rows = await query<{ id: number }>(
    db,
    sql`(select f.id from case_file f where f.search @@ to_tsquery('simple', ${words}) limit ${FEW})
     union
     (select p.case_id from (select u.id from user_account u where ${isFoundBy(words, adminId)} limit ${FEW}) u
       cross join lateral (
         select p.case_id from case_participant p where p.user_id = u.id and p.left_at is null limit ${FEW}) p
       limit ${FEW})
     union select ${number}::bigint`,
  );
  return rows.length > FEW ? { words } : { ids: rows.map(({ id }) => id) };
}

/** The same words as a condition on `case_file c`, for those that many cases have. */
export function caseHasWords(adminId: number, words: string): Sql {
  return sql`(c.search @@ to_tsquery('simple', ${words}) or exists (
    select from case_participant p join user_account u on u.id = p.user_id
     where p.case_id = c.id and p.left_at is null and ${isFoundBy(words, adminId)}))`;
}

/** By name; by address only for an admin who may see addresses, whom searching would tell them otherwise. */
function isFoundBy(words: string, adminId: number): Sql {
  const maySee = adminHolds(adminId, 'view_users', 'edit_users');
  return sql`(u.search @@ to_tsquery('simple', ${words})
    and (${maySee} or to_tsvector('simple', u.first_name || ' ' || u.last_name) @@ to_tsquery('simple', ${words})))`;
}
