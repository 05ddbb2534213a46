import { defineCursor, idPart, momentPart, textPart, wordPart } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { isOneOf, limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseStatus, type CaseSummary } from './case-access.ts';
import { searchCases } from './search-cases.ts';
import { type CaseSort, type CaseWalk, inOrder, isBehind, sortColumn, walkCases } from './walk-cases.ts';

export interface CaseFilter {
  status?: CaseStatus | readonly CaseStatus[] | undefined;
  /**
   * Part of the name. For staff: prefixes of words in the case's name, or in the name or address of someone on it, or the case
   * number.
   */
  q?: string | undefined;
  agency_id?: number | undefined;
  /** `none` selects cases without an escrow specialist. */
  escrow_specialist_id?: number | 'none' | undefined;
  /** Only cases that are still open and have to be closed by this day (`YYYY-MM-DD`). */
  close_due_by?: string | undefined;
  /** For admins: leaves out cases that they only see through `view_all_cases`. */
  mine?: boolean | undefined;
  sort?: CaseSort | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Lists the cases that a user may see, in keyset pages (CASE-3). */
export async function listCases(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  filter: CaseFilter = {},
): Promise<{ data: CaseSummary[]; next_cursor: string | null }> {
  const { sort = '-updated_at', limit = 25 } = filter;
  const walk: CaseWalk = {
    reader: user,
    mine: filter.mine === true,
    conditions: conditionsOf(filter, sort),
    sort,
    most: rowsFor(limit),
  };
  const rows = await query<CaseSummary & { sort_key: string }>(
    db,
    sql`select ${CASE_COLUMNS}, ${sortColumn(sort)}::text as sort_key
       from (${await pageOf(db, user, filter.q?.trim() ?? '', walk)}) page join case_file c on c.id = page.id
       ${inOrder(sort)} ${limitTo(walk.most)}`,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...summary }) => summary),
    next_cursor: last === undefined ? null : cursorOf(sort).write(sort, last.sort_key, last.id),
  };
}

function conditionsOf(filter: CaseFilter, sort: CaseSort): Sql[] {
  const { status, agency_id, escrow_specialist_id, close_due_by, cursor } = filter;
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(isOneOf(sql`c.status`, status));
  if (agency_id !== undefined) conditions.push(sql`c.agency_id = ${agency_id}`);
  if (escrow_specialist_id === 'none') conditions.push(sql`c.escrow_specialist_id is null`);
  else if (escrow_specialist_id !== undefined) conditions.push(sql`c.escrow_specialist_id = ${escrow_specialist_id}`);
  if (close_due_by !== undefined)
    conditions.push(sql`c.close_due_on <= ${close_due_by}::date and c.status not in ('closed', 'cancelled')`);
  if (cursor !== undefined) {
    const [, key, id] = cursorOf(sort).read(cursor);
    conditions.push(isBehind(sort, key, id));
  }
  return conditions;
}

/** The ids of one page of all cases, or of those that match the search. */
async function pageOf(db: Executor, { id, user_type }: Pick<User, 'id' | 'user_type'>, q: string, walk: CaseWalk): Promise<Sql> {
  if (q === '') return walkCases(walk);
  if (user_type === 'admin') return sql`select unnest(${await searchCases(db, id, q, walk)}::bigint[]) as id`;
  // People who are not staff have few cases, so reading each of them costs little.
  const matches = sql`ts_match_vq(c.search, ${prefixQuery(q) ?? ''}::tsquery)`;
  return walkCases({ ...walk, conditions: [...walk.conditions, matches] });
}

/** Each sort order has its own cursor, so that a cursor of another order is rejected. */
function cursorOf(sort: CaseSort) {
  return defineCursor<[CaseSort, string, number]>('json', wordPart(sort), sort.endsWith('name') ? textPart : momentPart, idPart);
}
