import { SEARCH_MAX } from '@case-platform/words/limits';
import { queryString } from '../look/query-string.ts';

export interface ChainFilter {
  caseId?: number;
  unread?: boolean;
  status?: 'open' | 'closed';
  /** The search text (CHAIN-17). */
  q?: string;
  limit?: number;
}

/** The API path of a page of chains. */
export function chainsPath(filter: ChainFilter, cursor: string | null = null): `/api/${string}` {
  const { caseId, unread, status, q, limit } = filter;
  return `/api/messages${queryString({ case_id: caseId, unread: unread || null, status, q, limit, cursor })}`;
}

/** Reads the filter from the inbox's URL and ignores invalid values. */
export function filterInAddress(search: string | URLSearchParams): ChainFilter {
  const query = new URLSearchParams(search);
  const caseId = idInPath(query.get('case') ?? '');
  const q = (query.get('q') ?? '').trim().slice(0, SEARCH_MAX);
  const show = query.get('show');
  return {
    ...(caseId === null ? {} : { caseId }),
    ...(q === '' ? {} : { q }),
    ...(show === 'unread' ? { unread: true } : {}),
    ...(show === 'open' || show === 'closed' ? { status: show } : {}),
  };
}

/** The URL query for a filter, including the question mark; empty if everything is shown. */
export function filterAddress({ caseId, q, unread, status }: ChainFilter): string {
  return queryString({ q, show: unread === true ? 'unread' : status, case: caseId });
}

/** Parses an id in a path. Returns null for anything that cannot be one (API-3). */
export function idInPath(value: string): number | null {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
}
