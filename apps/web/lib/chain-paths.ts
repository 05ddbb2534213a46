/** Which chains a list shows. */
export interface ChainFilter {
  caseId?: number;
  unread?: boolean;
  limit?: number;
}

/** The address of a page of chains. */
export function chainsPath(filter: ChainFilter, cursor: string | null = null): `/api/${string}` {
  const query = new URLSearchParams();
  if (filter.caseId !== undefined) query.set('case_id', String(filter.caseId));
  if (filter.unread === true) query.set('unread', 'true');
  if (filter.limit !== undefined) query.set('limit', String(filter.limit));
  if (cursor !== null) query.set('cursor', cursor);
  return query.size === 0 ? '/api/messages' : `/api/messages?${query}`;
}

/** The id in a path, or null when it is no number that the API could know. */
export function idInPath(value: string): number | null {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
}
