import 'client-only';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { apiBrowser } from '../api/api-browser.ts';
import type { Case, Chain, ChainWithMessages, Page, UnreadCount } from '../api/api-shapes.ts';
import { useLive } from '../live/live-state.ts';
import { type ChainFilter, chainsPath } from './chain-paths.ts';
import { type Cursor, type Loaded, withArrived } from './loaded-chain.ts';
import { reuseSignedUrls } from './signed-urls.ts';

export const keys = {
  unread: ['unread'] as const,
  chains: (filter: ChainFilter) => ['chains', filter] as const,
  allChains: ['chains'] as const,
  allOpened: ['chain'] as const,
  cases: ['cases'] as const,
  chain: (id: number) => ['chain', id] as const,
};

/** Polling intervals while no live events arrive. A hidden page polls less often. */
const UNREAD_EVERY_MS = 15_000;
const UNREAD_BEHIND_EVERY_MS = 60_000;
const LIST_EVERY_MS = 60_000;

/** The unread count. A hidden page continues to poll, because its title shows the count. */
export function useUnread(initial: UnreadCount | undefined) {
  const live = useLive();
  return useQuery({
    queryKey: keys.unread,
    queryFn: ({ signal }) => apiBrowser<UnreadCount>('/api/messages/unread/count', { signal }),
    refetchInterval: () => (live ? false : isBehind() ? UNREAD_BEHIND_EVERY_MS : UNREAD_EVERY_MS),
    refetchIntervalInBackground: true,
    ...(initial === undefined ? {} : { initialData: initial, initialDataUpdatedAt: firstSeen(initial) }),
  });
}

/** The chains in pages, latest activity first (CHAIN-12). */
export function useChains(filter: ChainFilter, initial: Page<Chain> | undefined) {
  const live = useLive();
  return useInfiniteQuery({
    queryKey: keys.chains(filter),
    queryFn: ({ pageParam, signal }) => apiBrowser<Page<Chain>>(chainsPath(filter, pageParam), { signal }),
    initialPageParam: null as Cursor,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: live ? false : LIST_EVERY_MS,
    // The previous list stays while another filter is loading.
    placeholderData: keepPreviousData,
    ...(initial === undefined ? {} : { initialData: firstPage(initial), initialDataUpdatedAt: firstSeen(initial) }),
  });
}

/** A chain with its messages in pages, newest first (CHAIN-13). */
export function useChain(id: number, initial: ChainWithMessages | undefined) {
  const live = useLive();
  return useInfiniteQuery<ChainWithMessages, Error, Loaded<ChainWithMessages>, ReturnType<typeof keys.chain>, Cursor>({
    queryKey: keys.chain(id),
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`;
      const page = await apiBrowser<ChainWithMessages>(`/api/messages/${id}${query}`, { signal });
      const stable = { ...page, messages: { ...page.messages, data: reuseSignedUrls(page.messages.data, Date.now()) } };
      // The answer may lack messages that were sent or received during the request.
      return pageParam === null ? (withArrived(firstPage(stable), id).pages[0] ?? stable) : stable;
    },
    initialPageParam: null as Cursor,
    getNextPageParam: (page) => page.messages.next_cursor,
    refetchInterval: live ? false : LIST_EVERY_MS,
    ...(initial === undefined
      ? {}
      : { initialData: () => withArrived(firstPage(initial), id), initialDataUpdatedAt: firstSeen(initial) }),
  });
}

/** The reader's cases. They seldom change, so they stay fresh for ten minutes. */
export function useCases() {
  return useQuery({
    queryKey: keys.cases,
    queryFn: ({ signal }) => apiBrowser<Page<Case>>('/api/cases?limit=100', { signal }),
    staleTime: 10 * 60_000,
  });
}

const seenAt = new WeakMap<object, number>();

/** Returns when this data was first used. The router may show a page again much later, and its data is old then. */
function firstSeen(initial: object): number {
  const at = seenAt.get(initial) ?? Date.now();
  seenAt.set(initial, at);
  return at;
}

function isBehind(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}

function firstPage<T>(page: T): Loaded<T> {
  return { pages: [page], pageParams: [null] };
}
