import { CASE_STATES } from '@case-platform/words/case-states';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { Case } from '../api/api-shapes.ts';
import { queryString } from '../look/query-string.ts';

/** The orders of the list; the first one is the default. */
export const CASE_ORDERS = [
  { sort: '-updated_at', words: 'Last changed' },
  { sort: 'name', words: 'Name' },
  { sort: '-created_at', words: 'Newest' },
  { sort: 'created_at', words: 'Oldest' },
] as const;

export interface CaseFilter {
  status?: Case['status'];
  q?: string;
  sort?: (typeof CASE_ORDERS)[number]['sort'];
}

/** Reads the filter from a URL's query and ignores invalid values. */
export function caseFilterIn(search: Record<string, string | string[] | undefined>): CaseFilter {
  const status = CASE_STATES.find((one) => one === search.status);
  const sort = CASE_ORDERS.find((one) => one.sort === search.sort)?.sort;
  const q = typeof search.q === 'string' ? search.q.trim().slice(0, SEARCH_MAX) : '';
  return {
    ...(status === undefined ? {} : { status }),
    ...(q === '' ? {} : { q }),
    ...(sort === undefined || sort === CASE_ORDERS[0].sort ? {} : { sort }),
  };
}

/** The URL query for a filter and page, including the question mark; empty for the first page of all cases. */
export function caseFilterAddress(filter: CaseFilter, cursor: string | null = null): string {
  return queryString({ ...filter, cursor });
}

/** The API path of a page of cases, each with its overview. */
export function casesPath(filter: CaseFilter, cursor: string | null = null): `/api/${string}` {
  return `/api/cases${queryString({ overview: 'true', ...filter, cursor })}`;
}
