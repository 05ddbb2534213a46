import { type Executor, run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseStatus, type CaseSummary } from './case-access.ts';
import { caseHasWords, findCaseMatches } from './find-case-matches.ts';
import { VISIBLE_CASES } from './visible-cases.ts';

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
  const column = sort.replace('-', '') as keyof typeof SORT_TYPES;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const order = `order by c.${column} ${direction}, c.id ${direction} limit $2`;
  const parameters: unknown[] = [user.id, limit + 1];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = conditionsOf(filter, sort, place);
  const reasons = VISIBLE_CASES[user.user_type](filter.mine === true, place, user.agency_id);
  const page =
    (await searchPage(db, user, { filter, reasons, conditions, order, place })) ?? union(reasons, conditions, order);
  const rows = await run<CaseSummary & { sort_key: string }>(
    db,
    `select ${CASE_COLUMNS}, c.${column}::text as sort_key
       from (${page}) page join case_file c on c.id = page.id ${order}`,
    parameters,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...found }) => found),
    next_cursor: last === undefined ? null : makeCursor(sort, last.sort_key, last.id),
  };
}

type Place = (value: unknown) => string;

function conditionsOf(filter: CaseFilter, sort: CaseSort, place: Place): string[] {
  const { status, agency_id, escrow_specialist_id, close_due_by, cursor } = filter;
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`c.status = ${place(status)}`);
  if (agency_id !== undefined) conditions.push(`c.agency_id = ${place(agency_id)}`);
  if (escrow_specialist_id === 'none') conditions.push('c.escrow_specialist_id is null');
  else if (escrow_specialist_id !== undefined)
    conditions.push(`c.escrow_specialist_id = ${place(escrow_specialist_id)}`);
  if (close_due_by !== undefined)
    conditions.push(`c.close_due_on <= ${place(close_due_by)}::date and c.status not in ('closed', 'cancelled')`);
  if (cursor !== undefined) {
    const [key, id] = readCursor(cursor, sort);
    const column = sort.replace('-', '') as keyof typeof SORT_TYPES;
    const bound = `(${place(key)}::${SORT_TYPES[column]}, ${place(id)}::bigint)`;
    conditions.push(`(c.${column}, c.id) ${sort.startsWith('-') ? '<' : '>'} ${bound}`);
  }
  return conditions;
}

/** One branch a reason, each of which walks its own index and stops early. */
function union(reasons: string[], conditions: string[], order: string): string {
  return reasons
    .map((reason) => `(select c.id from case_file c where ${[reason, ...conditions].join(' and ')} ${order})`)
    .join(' union ');
}

interface Search {
  filter: CaseFilter;
  reasons: string[];
  conditions: string[];
  order: string;
  place: Place;
}

/** The ids of what is searched for, or null where nothing is. */
async function searchPage(
  db: Executor,
  { user_type }: Pick<User, 'user_type'>,
  { filter, reasons, conditions, order, place }: Search,
): Promise<string | null> {
  const text = filter.q?.trim() ?? '';
  if (text === '') return null;
  // Everyone else has few cases: looking at each of them costs nothing.
  if (user_type !== 'admin')
    return union(reasons, [...conditions, `position(lower(${place(text)}) in lower(c.name)) > 0`], order);
  const found = await findCaseMatches(db, text);
  if ('words' in found) return union(reasons, [...conditions, caseHasWords(place(found.words))], order);
  // `offset 0` keeps PostgreSQL from turning the few look-ups into one look at every case.
  return `select c.id from unnest(${place(found.ids)}::bigint[]) m (id)
      cross join lateral (select f.* from case_file f where f.id = m.id offset 0) c
     where ${[`(${reasons.join(' or ')})`, ...conditions].join(' and ')} ${order}`;
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
  throw invalid('cursor', 'cursor is not one that this list has given.');
}
