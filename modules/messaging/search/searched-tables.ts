import { type SearchedTable, TO_INDEX } from '@case-platform/lib/database/index-words';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { limitTo, sql } from '@case-platform/lib/sql';

/** The tables of this module whose texts are searched. */
export const SEARCHED_CONVERSATIONS: readonly SearchedTable[] = [
  {
    read: (limit) => sql`select id, subject as text from message_chain where ${TO_INDEX}
      order by id desc ${limitTo(limit)} for no key update skip locked`,
    store: (rows) => sql`update message_chain c set search = r.search::tsvector, search_version = ${SEARCH_VERSION}
      from json_to_recordset(${rows}::json) as r (id bigint, search text) where c.id = r.id`,
  },
  {
    read: (limit) => sql`select m.id, concat_ws(' ', m.message,
        (select string_agg(f.filename, ' ' order by f.id) from message_file f where f.message_id = m.id)) as text
      from message m where ${TO_INDEX} order by m.id desc ${limitTo(limit)} for no key update of m skip locked`,
    store: (rows) => sql`update message m set search = r.search::tsvector, search_version = ${SEARCH_VERSION}
      from json_to_recordset(${rows}::json) as r (id bigint, search text) where m.id = r.id`,
  },
];
