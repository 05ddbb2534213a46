import type { Executor } from '@case-platform/lib/database';
import { listSearchWords, prefixQuery } from '@case-platform/lib/database/search-query';
import { amountWord } from '@case-platform/lib/database/search-vector';
import { allOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { readDollars } from '@case-platform/words/money';

/** How many of the reader's newest requests are checked one by one, which is enough for common words. */
const FIRST = 200;
/** With at most this many matches of a word in all requests, each of them is checked. */
const RARE_MAX = 2000;
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** A word of a search, by its beginning, or an amount or number as a whole. */
interface Term {
  /** A `tsquery` for the words of a request, and its amount. */
  content: string;
  /** A `tsquery` for the words of a case. */
  words: string;
  /** A `tsquery` for names. */
  names: string;
  /** The number of a request, or 0. */
  number: number;
}

/** The requests that a search is about. */
export interface Narrowed {
  /** Conditions on `disbursement_request d`. */
  conditions: readonly Sql[];
  newest: number;
  /** Whether the conditions leave only few requests, which are looked up by their ids. */
  isFew?: boolean;
}

/**
 * Finds the newest of a reader's requests with all words of a search, each in the description, the category, the payee's name, the
 * case's name, the amount, or the number (REQUEST-21).
 * @param newest the most requests to find.
 * @param requestsOf a statement of the newest requests, by id, that the reader may read and that the filters leave.
 * @returns ids in no particular order.
 */
export async function searchRequests(
  db: Executor,
  q: string,
  newest: number,
  requestsOf: (narrowed: Narrowed) => Sql,
): Promise<number[]> {
  const terms = listSearchWords(q).map(parseTerm);
  if (terms.length === 0) return [];
  const matches = allOf(terms.map(isMatch));
  const first = await query<{ id: number; matches: boolean }>(
    db,
    sql`with page as materialized (${requestsOf({ conditions: [], newest: FIRST })})
        select d.id, ${matches} as matches from page join disbursement_request d on d.id = page.id
         order by d.id desc ${limitTo(FIRST)}`,
  );
  const ids = first.filter((row) => row.matches).map(({ id }) => id);
  const last = first.at(-1);
  if (ids.length >= newest || first.length < FIRST || last === undefined) return ids.slice(0, newest);
  const isOlder = sql`d.id < ${last.id}`;
  const candidates = await findRare(db, terms);
  const rest =
    candidates === null
      ? requestsOf({ conditions: [isOlder, ...terms.map(isMatchOfMany)], newest })
      : requestsOf({ conditions: [sql`d.id = any(${candidates}::bigint[])`, isOlder, matches], newest, isFew: true });
  const more = await query<{ id: number }>(db, rest);
  return [...ids, ...more.map(({ id }) => id)];
}

function parseTerm(word: string): Term {
  const cents = readDollars(word);
  const words = prefixQuery(word) ?? '';
  return {
    content: cents === null ? words : `${words} | '${amountWord(cents)}'`,
    words,
    names: prefixQuery(word, 'A') ?? '',
    number: Number(NUMBER.exec(word)?.[1] ?? 0),
  };
}

/**
 * A condition on `disbursement_request d` that reads the payee and the case of each request. The function behind `@@` keeps
 * PostgreSQL from looking up all matches.
 */
function isMatch({ content, words, names, number }: Term): Sql {
  return sql`(d.id = ${number} or ts_match_vq(d.search, ${content}::tsquery)
    or (select ts_match_vq(u.search, ${names}::tsquery) from user_account u where u.id = d.payee_id)
    or (select ts_match_vq(f.search, ${words}::tsquery) from case_file f where f.id = d.case_id))`;
}

/** The same condition, for very many requests: looks up the names once. */
function isMatchOfMany({ content, words, names, number }: Term): Sql {
  return sql`(d.id = ${number} or ts_match_vq(d.search, ${content}::tsquery)
    or d.payee_id in (select u.id from user_account u where u.search @@ ${names}::tsquery)
    or d.case_id in (select f.id from case_file f where f.search @@ ${words}::tsquery))`;
}

/** Looks up the requests of anyone with the first rare word, by the indexes of words; null if all words are common. */
async function findRare(db: Executor, terms: readonly Term[]): Promise<number[] | null> {
  const most = limitTo(RARE_MAX + 1);
  for (const { content, words, names, number } of terms) {
    const [matches] = await query<{ ids: number[] | null; most: number }>(
      db,
      sql`with payee as materialized (select u.id from user_account u where u.search @@ ${names}::tsquery ${most}),
               named as materialized (select f.id from case_file f where f.search @@ ${words}::tsquery ${most}),
               request as materialized (
                 (select d.id from disbursement_request d where d.search @@ ${content}::tsquery ${most})
                 union (select d.id from disbursement_request d where d.payee_id = any(array(select id from payee)) ${most})
                 union (select d.id from disbursement_request d where d.case_id = any(array(select id from named)) ${most})
                 union select ${number}::bigint)
          select (select json_agg(id) from request) as ids, greatest((select count(*) from payee),
                 (select count(*) from named), (select count(*) from request))::int as most`,
    );
    if (matches !== undefined && matches.most <= RARE_MAX) return matches.ids ?? [];
  }
  return null;
}
