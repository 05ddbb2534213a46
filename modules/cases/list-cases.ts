import { type Executor, run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { toPrefixQuery } from '@case-platform/lib/prefix-query';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseStatus, type CaseSummary } from './case-access.ts';
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
  /** For admins: only those they are the Escrow Specialist of or on the team of, whatever else they may see. */
  mine?: boolean | undefined;
  sort?: CaseSort | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const SORT_TYPES = { updated_at: 'timestamptz', name: 'text', created_at: 'timestamptz' } as const;
const NUMBER = /^#?([1-9]\d{0,14})$/;

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
  const matches = filter.q === undefined ? [] : matchesOf(user, filter.q, place);
  const reasons = VISIBLE_CASES[user.user_type](filter.mine === true, place, user.agency_id);
  const branches = reasons.flatMap((reason) =>
    (matches.length === 0 ? ['true'] : matches).map(
      (match) => `(select c.id from case_file c where ${[reason, match, ...conditions].join(' and ')} ${order})`,
    ),
  );
  const rows = await run<CaseSummary & { sort_key: string }>(
    db,
    `select ${CASE_COLUMNS}, c.${column}::text as sort_key
       from (${branches.join(' union ')}) page join case_file c on c.id = page.id ${order}`,
    parameters,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...found }) => found),
    next_cursor: last === undefined ? null : makeCursor(sort, last.sort_key, last.id),
  };
}

type Place = (value: unknown) => string;

function conditionsOf({ status, agency_id, escrow_specialist_id, cursor }: CaseFilter, sort: CaseSort, place: Place) {
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`c.status = ${place(status)}`);
  if (agency_id !== undefined) conditions.push(`c.agency_id = ${place(agency_id)}`);
  if (escrow_specialist_id === 'none') conditions.push('c.escrow_specialist_id is null');
  else if (escrow_specialist_id !== undefined)
    conditions.push(`c.escrow_specialist_id = ${place(escrow_specialist_id)}`);
  if (cursor !== undefined) {
    const [key, id] = readCursor(cursor, sort);
    const column = sort.replace('-', '') as keyof typeof SORT_TYPES;
    const bound = `(${place(key)}::${SORT_TYPES[column]}, ${place(id)}::bigint)`;
    conditions.push(`(c.${column}, c.id) ${sort.startsWith('-') ? '<' : '>'} ${bound}`);
  }
  return conditions;
}

/** What a search finds, one condition a way, so that each can use its index. */
function matchesOf(user: Pick<User, 'user_type'>, q: string, place: Place): string[] {
  const text = q.trim();
  if (text === '') return [];
  // Everyone else has few cases: looking at each of them costs nothing.
  if (user.user_type !== 'admin') return [`position(lower(${place(text)}) in lower(c.name)) > 0`];
  const words = toPrefixQuery(text);
  const number = NUMBER.exec(text)?.[1];
  const byNumber = number === undefined ? [] : [`c.id = ${place(number)}`];
  if (words === null) return byNumber.length === 0 ? ['false'] : byNumber;
  const query = `to_tsquery('simple', ${place(words)})`;
  return [
    `c.search @@ ${query}`,
    `c.id in (select p.case_id from user_account u join case_participant p on p.user_id = u.id and p.left_at is null
               where u.search @@ ${query})`,
    ...byNumber,
  ];
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
