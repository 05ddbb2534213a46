import { dayOf } from '@case-platform/words/days';
import type { Message } from '../api/api-shapes.ts';

/** What a chain shows from top to bottom. */
export type ChainItem =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; mine: boolean; follows: boolean };

interface Reader {
  id: number;
  type: string;
}

/** How long a message can be retracted. The API decides; this only says when to offer it. */
const TAKEN_BACK_WITHIN_MS = 24 * 60 * 60_000;
/** Messages of one sender within this time stand together under one name. */
const TOGETHER_MS = 5 * 60_000;

/**
 * Puts messages (oldest first) under their days. `newFromId` is the first message that was unread when the chain was
 * opened; the mark stays where it was while the person reads.
 */
export function chainItems(
  messages: readonly Message[],
  reader: Reader,
  zone: string,
  newFromId: number | null,
): ChainItem[] {
  const items: ChainItem[] = [];
  let previous: Message | null = null;
  for (const message of messages) {
    const startsDay: boolean =
      previous === null || dayOf(previous.created_at, zone) !== dayOf(message.created_at, zone);
    if (startsDay) items.push({ kind: 'day', key: `day-${message.id}`, at: message.created_at });
    const startsNew = message.id === newFromId;
    if (startsNew) items.push({ kind: 'new', key: 'new' });
    const follows: boolean = !startsDay && !startsNew && previous !== null && standTogether(previous, message);
    items.push({ kind: 'message', key: `message-${message.id}`, message, mine: isMine(message, reader), follows });
    previous = message;
  }
  return items;
}

/** The first message that the reader has not viewed yet. */
export function firstUnread(messages: readonly Message[], reader: Reader): Message | null {
  const isUnread = (message: Message) =>
    message.viewed === null && message.retracted_at === null && !isMine(message, reader);
  return messages.find(isUnread) ?? null;
}

/** Whether its sender may still retract a message (`now` in milliseconds). */
export function canTakeBack({ created_at, retracted_at }: Message, now: number): boolean {
  return retracted_at === null && now - Date.parse(created_at) < TAKEN_BACK_WITHIN_MS;
}

/** Whether the reader wrote it. */
export function isMine(message: Message, reader: Reader): boolean {
  return message.from_id === reader.id && message.from_type === reader.type;
}

function standTogether(earlier: Message, later: Message): boolean {
  if (earlier.from_id !== later.from_id || earlier.from_type !== later.from_type) return false;
  return Date.parse(later.created_at) - Date.parse(earlier.created_at) < TOGETHER_MS;
}
