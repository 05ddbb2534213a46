import 'server-only';
import { cache } from 'react';
import type { Chain, ChainWithMessages, Page, UnreadCount } from '../api/api-shapes.ts';
import { apiServer } from '../session/api-server.ts';
import { type ChainFilter, chainsPath, filterAddress, filterInAddress, idInPath } from './chain-paths.ts';

/** What layouts and pages of one request share: asked for once, by whoever needs it first. */
export const findUnread = cache(() => apiServer<UnreadCount>('/api/messages/unread/count'));
export const findChain = cache((id: number) => apiServer<ChainWithMessages>(`/api/messages/${id}`));
const findChainsAt = cache((address: string) => apiServer<Page<Chain>>(chainsPath(filterInAddress(address))));
export const findChains = (filter: ChainFilter) => findChainsAt(filterAddress(filter));

/**
 * Begins to ask for what the page at this path (with its query) will need. A layout renders before what it surrounds, so
 * that their questions would otherwise wait for one another.
 */
export function beginToFind(path: string): void {
  const [pathname = '', search = ''] = path.split('?');
  const asked: Promise<unknown>[] = [findUnread()];
  if (pathname === '/messages' || pathname.startsWith('/messages/')) {
    asked.push(findChains(filterInAddress(search)));
    const id = idInPath(pathname.slice('/messages/'.length));
    if (id !== null) asked.push(findChain(id));
  }
  // Whoever needs the answer hears of what went wrong.
  for (const answer of asked) answer.catch(() => {});
}
