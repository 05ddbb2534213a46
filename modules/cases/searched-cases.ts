import { type SearchedTable, TO_INDEX } from '@case-platform/lib/database/index-words';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { limitTo, sql } from '@case-platform/lib/sql';

export const SEARCHED_CASES: SearchedTable = {
  read: (limit) => sql`select id, name as text from case_file where ${TO_INDEX}
    order by id desc ${limitTo(limit)} for no key update skip locked`,
  store: (rows) => sql`update case_file f set search = r.search::tsvector, search_version = ${SEARCH_VERSION}
    from json_to_recordset(${rows}::json) as r (id bigint, search text) where f.id = r.id`,
};
