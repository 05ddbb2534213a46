import 'server-only';
import { cache } from 'react';
import type { Chain, ChainWithMessages, Page, UnreadCount } from '../api/api-shapes.ts';
import { apiServer } from '../session/api-server.ts';
import { type ChainFilter, chainsPath, filterAddress, filterInAddress, idInPath } from './chain-paths.ts';

/** Data shared by the layouts and pages of one request: fetched once, by whichever needs it first. */
export const findUnread = cache(() => apiServer<UnreadCount>('/api/messages/unread/count'));
export const findChain = cache((id: number) => apiServer<ChainWithMessages>(`/api/messages/${id}`));
const findChainsAt = cache((address: string) => apiServer<Page<Chain>>(chainsPath(filterInAddress(address))));
export const findChains = (filter: ChainFilter) => findChainsAt(filterAddress(filter));

/**
 * Starts fetching what the page at this path (with its query) will need. A layout renders before its page, so their requests
 * would otherwise run one after another.
 */
export function beginToFind(path: string): void {
  const [pathname = '', search = ''] = path.split('?');
  const asked: Promise<unknown>[] = [findUnread()];
  if (pathname === '/messages' || pathname.startsWith('/messages/')) {
    asked.push(findChains(filterInAddress(search)));
    const id = idInPath(pathname.slice('/messages/'.length));
    if (id !== null) asked.push(findChain(id));
  }
  // Whoever awaits the answer handles the error.
  for (const answer of asked) answer.catch(() => {});
}
