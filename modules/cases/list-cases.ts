import { type Executor, run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import {
  CASE_COLUMNS,
  CASE_IS_VISIBLE,
  type CaseStatus,
  type CaseSummary,
  caseAccessParameters,
} from './case-access.ts';

/** A minus in front: descending. */
export const CASE_SORTS = ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at'] as const;
export type CaseSort = (typeof CASE_SORTS)[number];

export interface CaseFilter {
  status?: CaseStatus | undefined;
  /** Part of the name. */
  q?: string | undefined;
  sort?: CaseSort | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const SORT_TYPES = { updated_at: 'timestamptz', name: 'text', created_at: 'timestamptz' } as const;

/** The cases that a user may see, one keyset page. */
export async function listCases(
  db: Executor,
  user: User,
  filter: CaseFilter = {},
): Promise<{ data: CaseSummary[]; next_cursor: string | null }> {
  const { sort = '-updated_at', limit = 25 } = filter;
  const descending = sort.startsWith('-');
  const column = sort.replace('-', '') as keyof typeof SORT_TYPES;
  const parameters = [...caseAccessParameters(user), limit + 1];
  const conditions = [CASE_IS_VISIBLE];
  const placeholder = (value: unknown) => `$${parameters.push(value)}`;
  if (filter.status !== undefined) conditions.push(`c.status = ${placeholder(filter.status)}`);
  if (filter.q !== undefined) conditions.push(`position(lower(${placeholder(filter.q.trim())}) in lower(c.name)) > 0`);
  if (filter.cursor !== undefined) {
    const [key, id] = readCursor(filter.cursor, sort);
    const bound = `(${placeholder(key)}::${SORT_TYPES[column]}, ${placeholder(id)}::bigint)`;
    conditions.push(`(c.${column}, c.id) ${descending ? '<' : '>'} ${bound}`);
  }
  const direction = descending ? 'desc' : 'asc';
  const rows = await run<CaseSummary & { sort_key: string }>(
    db,
    `select ${CASE_COLUMNS}, c.${column}::text as sort_key from case_file c
      where ${conditions.join(' and ')} order by c.${column} ${direction}, c.id ${direction} limit $4`,
    parameters,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(({ sort_key: _, ...found }) => found),
    next_cursor: last === undefined ? null : makeCursor(sort, last.sort_key, last.id),
  };
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
