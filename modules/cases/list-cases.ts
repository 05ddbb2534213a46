import { defineCursor, idPart, momentPart, textPart, wordPart } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseStatus, type CaseSummary } from './case-access.ts';
import { searchCases } from './search-cases.ts';
import { type CaseSort, type CaseWalk, inOrder, isBehind, sortColumn, walkCases } from './walk-cases.ts';

export interface CaseFilter {
  status?: CaseStatus | undefined;
  /** Part of the name. Staff: beginnings of words of the name, or of a person's name or address, or the case's number. */
  q?: string | undefined;
  agency_id?: number | undefined;
  /** `none`: the cases that have no Escrow Specialist. */
  escrow_specialist_id?: number | 'none' | undefined;
  /** Only those that are to be closed by this day (`YYYY-MM-DD`) and are not yet. */
  close_due_by?: string | undefined;
  /** For admins: only those they are the Escrow Specialist of or on the team of, whatever else they may see. */
  mine?: boolean | undefined;
  sort?: CaseSort | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The cases that a user may see, one keyset page. */
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
    most: limit + 1,
  };
  const rows = await query<CaseSummary & { sort_key: string }>(
    db,
    sql`select ${CASE_COLUMNS}, ${sortColumn(sort)}::text as sort_key
       from (${await pageOf(db, user, filter.q?.trim() ?? '', walk)}) page join case_file c on c.id = page.id
       ${inOrder(sort)} limit ${walk.most}`,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...found }) => found),
    next_cursor: last === undefined ? null : cursorOf(sort).write(sort, last.sort_key, last.id),
  };
}

function conditionsOf(filter: CaseFilter, sort: CaseSort): Sql[] {
  const { status, agency_id, escrow_specialist_id, close_due_by, cursor } = filter;
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(sql`c.status = ${status}`);
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

/** The ids of the page: of what is searched for, or of everything. */
async function pageOf(
  db: Executor,
  { id, user_type }: Pick<User, 'id' | 'user_type'>,
  q: string,
  walk: CaseWalk,
): Promise<Sql> {
  if (q === '') return walkCases(walk);
  if (user_type === 'admin') return sql`select unnest(${await searchCases(db, id, q, walk)}::bigint[]) as id`;
  // Everyone else has few cases: looking at each of them costs nothing.
  const named = sql`position(lower(${q}) in lower(c.name)) > 0`;
  return walkCases({ ...walk, conditions: [...walk.conditions, named] });
}

/** A list in another order has another cursor. */
function cursorOf(sort: CaseSort) {
  return defineCursor<[CaseSort, string, number]>(
    'json',
    wordPart(sort),
    sort.endsWith('name') ? textPart : momentPart,
    idPart,
  );
}
