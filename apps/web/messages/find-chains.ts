import 'server-only';
import { cache } from 'react';
import type { Chain, ChainWithMessages, Page, UnreadCount } from '../api/api-shapes.ts';
import { apiServer } from '../session/api-server.ts';
import { type ChainFilter, chainsPath, filterAddress, filterInAddress, idInPath } from './chain-paths.ts';

/** Layouts and pages of one request share these answers, and the first one that needs an answer fetches it. */
export const findUnread = cache(() => apiServer<UnreadCount>('/api/messages/unread/count'));
export const findChain = cache((id: number) => apiServer<ChainWithMessages>(`/api/messages/${id}`));
const findChainsAt = cache((address: string) => apiServer<Page<Chain>>(chainsPath(filterInAddress(address))));
export const findChains = (filter: ChainFilter) => findChainsAt(filterAddress(filter));

/**
 * Starts the requests of the page at this path (with its query). A layout renders before its page, so their requests would
 * otherwise run one after another.
 */
export function prefetchPage(path: string): void {
  const [pathname = '', search = ''] = path.split('?');
  const answers: Promise<unknown>[] = [findUnread()];
  if (pathname === '/messages' || pathname.startsWith('/messages/')) {
    answers.push(findChains(filterInAddress(search)));
    const id = idInPath(pathname.slice('/messages/'.length));
    if (id !== null) answers.push(findChain(id));
  }
  // The caller that awaits an answer handles its error.
  for (const answer of answers) answer.catch(() => {});
}
