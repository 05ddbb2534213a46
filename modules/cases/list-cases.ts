import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { allOf, anyOf, query, type Sql, sql, trustedSql, unionOf } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseStatus, type CaseSummary, caseAccessReasons } from './case-access.ts';
import { caseHasWords, findCaseMatches } from './find-case-matches.ts';

/** A minus in front: descending. */
export const CASE_SORTS = ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at'] as const;
export type CaseSort = (typeof CASE_SORTS)[number];

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

const SORT_TYPES = { updated_at: 'timestamptz', name: 'text', created_at: 'timestamptz' } as const;

/** The cases that a user may see, one keyset page. */
export async function listCases(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  filter: CaseFilter = {},
): Promise<{ data: CaseSummary[]; next_cursor: string | null }> {
  const { sort = '-updated_at', limit = 25 } = filter;
  const column = columnOf(sort);
  const direction = trustedSql(sort.startsWith('-') ? 'desc' : 'asc');
  const order = sql`order by ${column} ${direction}, c.id ${direction} limit ${limit + 1}`;
  const search: Search = {
    reasons: caseAccessReasons(user, { mine: filter.mine === true }),
    conditions: conditionsOf(filter, sort),
    order,
  };
  const page = (await searchPage(db, user, filter.q, search)) ?? walk(search);
  const rows = await query<CaseSummary & { sort_key: string }>(
    db,
    sql`select ${CASE_COLUMNS}, ${column}::text as sort_key
       from (${page}) page join case_file c on c.id = page.id ${order}`,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...found }) => found),
    next_cursor: last === undefined ? null : makeCursor(sort, last.sort_key, last.id),
  };
}

function columnOf(sort: CaseSort): Sql {
  return trustedSql(`c.${sort.replace('-', '')}`);
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
    const [key, id] = readCursor(cursor, sort);
    const type = trustedSql(SORT_TYPES[sort.replace('-', '') as keyof typeof SORT_TYPES]);
    const beyond = trustedSql(sort.startsWith('-') ? '<' : '>');
    conditions.push(sql`(${columnOf(sort)}, c.id) ${beyond} (${key}::${type}, ${id}::bigint)`);
  }
  return conditions;
}

interface Search {
  reasons: Sql[];
  conditions: Sql[];
  order: Sql;
}

/** One branch a reason, each of which walks its own index and stops early. */
function walk({ reasons, conditions, order }: Search): Sql {
  return unionOf(
    reasons.map((reason) => sql`(select c.id from case_file c where ${allOf([reason, ...conditions])} ${order})`),
  );
}

/** The ids of what is searched for, or null where nothing is. */
async function searchPage(
  db: Executor,
  { id, user_type }: Pick<User, 'id' | 'user_type'>,
  q: string | undefined,
  { reasons, conditions, order }: Search,
): Promise<Sql | null> {
  const text = q?.trim() ?? '';
  if (text === '') return null;
  const walkWith = (condition: Sql) => walk({ reasons, conditions: [...conditions, condition], order });
  // Everyone else has few cases: looking at each of them costs nothing.
  if (user_type !== 'admin') return walkWith(sql`position(lower(${text}) in lower(c.name)) > 0`);
  const found = await findCaseMatches(db, id, text);
  if ('words' in found) return walkWith(caseHasWords(id, found.words));
  // `offset 0` keeps PostgreSQL from turning the few look-ups into one look at every case.
  return sql`select c.id from unnest(${found.ids}::bigint[]) m (id)
      cross join lateral (select f.* from case_file f where f.id = m.id offset 0) c
     where ${allOf([anyOf(reasons), ...conditions])} ${order}`;
}

function makeCursor(sort: CaseSort, key: string, id: number): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

/** @throws {InvalidInputError} for anything that `makeCursor` did not make for this order. */
function readCursor(cursor: string, sort: CaseSort): [key: string, id: number] {
  try {
    const [madeFor, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isKey = typeof key === 'string' && (sort.endsWith('name') || /^\d{4}-\d\d-\d\d [\d:.]+\+00$/.test(key));
    if (madeFor === sort && isKey && Number.isSafeInteger(id)) return [key, id as number];
  } catch {
    // Not JSON: refused below.
  }
  throw invalid('cursor', 'This cursor doesn’t belong to this list.');
}
