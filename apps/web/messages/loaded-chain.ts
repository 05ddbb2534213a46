import type { InfiniteData } from '@tanstack/react-query';
import type { ChainWithMessages, Message } from '../api/api-shapes.ts';

export type Cursor = string | null;
export type Loaded<T> = InfiniteData<T, Cursor>;
/** The loaded pages of a chain; undefined before the chain is opened. */
export type LoadedChain = Loaded<ChainWithMessages> | undefined;

/** Lists the loaded messages of a chain, oldest first and each once. */
export function loadedMessages(data: LoadedChain): Message[] {
  const byId = new Map<number, Message>();
  for (const page of data?.pages ?? []) for (const message of page.messages.data) byId.set(message.id, message);
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

/** Marks the loaded messages up to an id as viewed, so that they are not shown as new again. */
export function withViewed(data: LoadedChain, upTo: number, at: string): LoadedChain {
  return changed(data, (message) => (message.id <= upTo && message.viewed === null ? { ...message, viewed: at } : message));
}

/** Empties a message that was taken back (MESSAGE-6), before the server reports it. */
export function withRetracted(data: LoadedChain, id: number, at: string): LoadedChain {
  return changed(data, (message) => (message.id === id ? { ...message, message: '', files: [], retracted_at: at } : message));
}

/** Inserts a message into the first page, or replaces the loaded message with the same id. */
export function withMessage(data: LoadedChain, message: Message): LoadedChain {
  const [first, ...rest] = data?.pages ?? [];
  if (data === undefined || first === undefined) return data;
  const isLoaded = data.pages.some((page) => page.messages.data.some((loaded) => loaded.id === message.id));
  if (isLoaded) {
    const merged = (loaded: Message) => ({ ...message, viewed: message.viewed ?? loaded.viewed });
    return changed(data, (loaded) => (loaded.id === message.id ? merged(loaded) : loaded));
  }
  const messages = [message, ...first.messages.data].sort((a, b) => b.id - a.id);
  return { ...data, pages: [{ ...first, messages: { ...first.messages, data: messages } }, ...rest] };
}

/** The latest messages that were sent or received, because the answer of a fetch that was running may lack them. */
const arrived: Message[] = [];
const ARRIVED_MOST = 50;

/** Remembers a sent or received message for `withArrived`. */
export function recordArrival(message: Message): void {
  arrived.push(message);
  if (arrived.length > ARRIVED_MOST) arrived.shift();
}

/** Adds the messages that arrived while the chain was being fetched. */
export function withArrived(data: Loaded<ChainWithMessages>, id: number): Loaded<ChainWithMessages> {
  const newest = data.pages[0]?.messages.data[0]?.id ?? 0;
  const later = arrived.filter((message) => message.chain_id === id && message.id > newest);
  return later.reduce((all, message) => withMessage(all, message) ?? all, data);
}

function changed(data: LoadedChain, change: (message: Message) => Message): LoadedChain {
  if (data === undefined) return data;
  const pages = data.pages.map((page) => ({
    ...page,
    messages: { ...page.messages, data: page.messages.data.map(change) },
  }));
  return { ...data, pages };
}
