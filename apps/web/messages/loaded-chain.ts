import type { InfiniteData } from '@tanstack/react-query';
import type { ChainWithMessages, Message } from '../api/api-shapes.ts';

export type Cursor = string | null;
export type Loaded<T> = InfiniteData<T, Cursor>;
/** The loaded pages of a chain; undefined before it is opened. */
export type LoadedChain = Loaded<ChainWithMessages> | undefined;

/** All loaded messages of a chain, oldest first. */
export function loadedMessages(data: LoadedChain): Message[] {
  const seen = new Map<number, Message>();
  for (const page of data?.pages ?? []) for (const message of page.messages.data) seen.set(message.id, message);
  return [...seen.values()].sort((a, b) => a.id - b.id);
}

/** Marks a chain's loaded messages as viewed, so that they are not shown as new again. */
export function withViewed(data: LoadedChain, upTo: number, at: string): LoadedChain {
  return changed(data, (message) =>
    message.id <= upTo && message.viewed === null ? { ...message, viewed: at } : message,
  );
}

/** Shows a retraction immediately. */
export function withRetracted(data: LoadedChain, id: number, at: string): LoadedChain {
  return changed(data, (message) =>
    message.id === id ? { ...message, message: '', files: [], retracted_at: at } : message,
  );
}

/** Inserts a message at the newest end, or replaces the one with its id. */
export function withMessage(data: LoadedChain, message: Message): LoadedChain {
  const [first, ...rest] = data?.pages ?? [];
  if (data === undefined || first === undefined) return data;
  const isKnown = data.pages.some((page) => page.messages.data.some((known) => known.id === message.id));
  if (isKnown) {
    const merged = (known: Message) => ({ ...message, viewed: message.viewed ?? known.viewed });
    return changed(data, (known) => (known.id === message.id ? merged(known) : known));
  }
  const messages = [message, ...first.messages.data].sort((a, b) => b.id - a.id);
  return { ...data, pages: [{ ...first, messages: { ...first.messages, data: messages } }, ...rest] };
}

/** The latest sent and received messages: a chain being fetched at that moment may not include them. */
const arrived: Message[] = [];
const ARRIVED_MOST = 50;

/** Remembers a message that was sent or received. */
export function noteArrived(message: Message): void {
  arrived.push(message);
  if (arrived.length > ARRIVED_MOST) arrived.shift();
}

/** A fetched chain plus the messages that arrived since. */
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
