import 'client-only';
import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { apiBrowser } from './api-browser.ts';
import type { Chain, ChainWithMessages, Message, Page, UnreadCount } from './api-shapes.ts';
import { type ChainFilter, chainsPath } from './chain-paths.ts';
import { keepSignedUrls } from './signed-urls.ts';

/** The names under which answers of the API are kept in the browser. */
export const keys = {
  unread: ['unread'] as const,
  chains: (filter: ChainFilter) => ['chains', filter] as const,
  allChains: ['chains'] as const,
  chain: (id: number) => ['chain', id] as const,
};

type Cursor = string | null;
type Loaded<T> = InfiniteData<T, Cursor>;

const UNREAD_EVERY_MS = 15_000;
const LIST_EVERY_MS = 60_000;

/** What is unread, asked for every fifteen seconds while the page is being looked at. */
export function useUnread(initial: UnreadCount | undefined) {
  return useQuery({
    queryKey: keys.unread,
    queryFn: ({ signal }) => apiBrowser<UnreadCount>('/api/messages/unread/count', { signal }),
    refetchInterval: UNREAD_EVERY_MS,
    ...(initial === undefined ? {} : { initialData: initial }),
  });
}

/** The chains, newest activity first, a page at a time. */
export function useChains(filter: ChainFilter, initial: Page<Chain> | undefined) {
  return useInfiniteQuery({
    queryKey: keys.chains(filter),
    queryFn: ({ pageParam, signal }) => apiBrowser<Page<Chain>>(chainsPath(filter, pageParam), { signal }),
    initialPageParam: null as Cursor,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: LIST_EVERY_MS,
    ...(initial === undefined ? {} : { initialData: firstPage(initial) }),
  });
}

/** A chain with its messages, newest first, a page at a time. */
export function useChain(id: number, initial: ChainWithMessages | undefined) {
  return useInfiniteQuery<ChainWithMessages, Error, Loaded<ChainWithMessages>, ReturnType<typeof keys.chain>, Cursor>({
    queryKey: keys.chain(id),
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`;
      const page = await apiBrowser<ChainWithMessages>(`/api/messages/${id}${query}`, { signal });
      return { ...page, messages: { ...page.messages, data: keepSignedUrls(page.messages.data, Date.now()) } };
    },
    initialPageParam: null as Cursor,
    getNextPageParam: (page) => page.messages.next_cursor,
    refetchInterval: LIST_EVERY_MS,
    ...(initial === undefined ? {} : { initialData: firstPage(initial) }),
  });
}

type LoadedChain = Loaded<ChainWithMessages> | undefined;

/** All loaded messages of a chain, oldest first. */
export function loadedMessages(data: LoadedChain): Message[] {
  const seen = new Map<number, Message>();
  for (const page of data?.pages ?? []) for (const message of page.messages.data) seen.set(message.id, message);
  return [...seen.values()].sort((a, b) => a.id - b.id);
}

/** Marks what was loaded of a chain as viewed, so that coming back does not show it as new. */
export function withViewed(data: LoadedChain, upTo: number, at: string): LoadedChain {
  if (data === undefined) return data;
  const mark = (message: Message) =>
    message.id <= upTo && message.viewed === null ? { ...message, viewed: at } : message;
  const pages = data.pages.map((page) => ({
    ...page,
    messages: { ...page.messages, data: page.messages.data.map(mark) },
  }));
  return { ...data, pages };
}

/** Puts a message that was just sent at the newest end of its chain, before the next refetch brings it. */
export function withSent(data: LoadedChain, message: Message): LoadedChain {
  const [first, ...rest] = data?.pages ?? [];
  if (data === undefined || first === undefined) return data;
  const others = first.messages.data.filter((known) => known.id !== message.id);
  return { ...data, pages: [{ ...first, messages: { ...first.messages, data: [message, ...others] } }, ...rest] };
}

function firstPage<T>(page: T): Loaded<T> {
  return { pages: [page], pageParams: [null] };
}
