import { type SearchedTable, TO_INDEX } from '@case-platform/lib/database/index-words';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { limitTo, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '../users.ts';

export const SEARCHED_PEOPLE: SearchedTable = {
  read: (limit) => sql`select id, first_name || ' ' || last_name as name, email_address as text from user_account
    where ${TO_INDEX} order by id desc ${limitTo(limit)} for no key update skip locked`,
  store: (rows) => sql`update user_account u set search = r.search::tsvector, search_version = ${SEARCH_VERSION}
    from json_to_recordset(${rows}::json) as r (id bigint, search text) where u.id = r.id`,
};

/** The words of a person for `search`: names, which everyone who sees the person may search, and the address. */
export function wordsOfPerson({
  first_name,
  last_name,
  email_address,
}: Pick<User, 'first_name' | 'last_name' | 'email_address'>): Sql {
  return sql`${searchVector({ text: `${first_name} ${last_name}`, weight: 'A' }, email_address)}::tsvector`;
}

/** A condition: the words of a search are in the name, each by its beginning. @param row the alias of `user_account`. */
export function nameMatches(row: Sql, text: string): Sql {
  const [ofName, words] = [prefixQuery(text, 'A') ?? '', prefixQuery(text) ?? ''];
  // Rows that were not rewritten yet have no weights.
  const names = sql`to_tsvector('simple', ${row}.first_name || ' ' || ${row}.last_name)`;
  return sql`(ts_match_vq(${row}.search, ${ofName}::tsquery)
    or (${row}.${TO_INDEX} and ts_match_vq(${names}, ${words}::tsquery)))`;
}
