import { SEARCH_MAX } from '@case-platform/words/limits';
export interface ChainFilter {
  caseId?: number;
  unread?: boolean;
  status?: 'open' | 'closed';
  /** The search text (CHAIN-17). */
  q?: string;
  limit?: number;
}

export function chainsPath(filter: ChainFilter, cursor: string | null = null): `/api/${string}` {
  const query = new URLSearchParams();
  if (filter.caseId !== undefined) query.set('case_id', String(filter.caseId));
  if (filter.unread === true) query.set('unread', 'true');
  if (filter.status !== undefined) query.set('status', filter.status);
  if (filter.q !== undefined) query.set('q', filter.q);
  if (filter.limit !== undefined) query.set('limit', String(filter.limit));
  if (cursor !== null) query.set('cursor', cursor);
  return query.size === 0 ? '/api/messages' : `/api/messages?${query}`;
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
  const query = new URLSearchParams();
  const show = unread === true ? 'unread' : status;
  if (q !== undefined && q !== '') query.set('q', q);
  if (show !== undefined) query.set('show', show);
  if (caseId !== undefined) query.set('case', String(caseId));
  return query.size === 0 ? '' : `?${query}`;
}

/** Parses an id in a path. Returns null for anything that cannot be one (API-3). */
export function idInPath(value: string): number | null {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
}
