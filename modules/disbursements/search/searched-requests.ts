import { type SearchedTable, TO_INDEX } from '@case-platform/lib/database/index-words';
import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { limitTo, sql } from '@case-platform/lib/sql';
import type { LockedDisbursement } from '../lock-disbursement.ts';

export const SEARCHED_REQUESTS: SearchedTable = {
  read: (limit) => sql`select id, description || ' ' || category as text, amount_cents from disbursement_request where ${TO_INDEX}
    order by id desc ${limitTo(limit)} for no key update skip locked`,
  store: (rows) => sql`update disbursement_request d set search = r.search::tsvector, search_version = ${SEARCH_VERSION}
    from json_to_recordset(${rows}::json) as r (id bigint, search text) where d.id = r.id`,
};

/** The words of a request for `search`; names are searched in their own tables. */
export function wordsOfRequest({
  description,
  category,
  amount_cents,
}: Pick<LockedDisbursement, 'description' | 'category' | 'amount_cents'>): string {
  return searchVector(`${description} ${category}`, amount_cents);
}
