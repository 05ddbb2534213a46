import { dayOf } from '@case-platform/words/days';
import type { Message } from '../api/api-shapes.ts';

/** A row of a chain: the heading of a day, the line above new messages, or a message. */
export type ChainItem =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; mine: boolean; follows: boolean };

interface Reader {
  id: number;
  type: string;
}

/** The time in which a message can be taken back (MESSAGE-6). The API decides; this only controls the offer. */
const TAKEN_BACK_WITHIN_MS = 24 * 60 * 60_000;
/** Messages of one sender within this time are grouped under one name. */
const TOGETHER_MS = 5 * 60_000;

/**
 * Groups messages (oldest first) by day. `newFromId` is the first message that was unread when the chain was opened. The line
 * above it stays there while the person reads.
 */
export function chainItems(messages: readonly Message[], reader: Reader, zone: string, newFromId: number | null): ChainItem[] {
  const items: ChainItem[] = [];
  let previous: Message | null = null;
  for (const message of messages) {
    const startsDay: boolean = previous === null || dayOf(previous.created_at, zone) !== dayOf(message.created_at, zone);
    if (startsDay) items.push({ kind: 'day', key: `day-${message.id}`, at: message.created_at });
    const startsNew = message.id === newFromId;
    if (startsNew) items.push({ kind: 'new', key: 'new' });
    const follows: boolean = !startsDay && !startsNew && previous !== null && belongTogether(previous, message);
    items.push({ kind: 'message', key: `message-${message.id}`, message, mine: isOwnMessage(message, reader), follows });
    previous = message;
  }
  return items;
}

export function firstUnread(messages: readonly Message[], reader: Reader): Message | null {
  const isUnread = (message: Message) =>
    message.viewed === null && message.retracted_at === null && !isOwnMessage(message, reader);
  return messages.find(isUnread) ?? null;
}

/** True if the sender can still take the message back. `now` is in milliseconds since the epoch. */
export function canTakeBack({ created_at, retracted_at }: Message, now: number): boolean {
  return retracted_at === null && now - Date.parse(created_at) < TAKEN_BACK_WITHIN_MS;
}

/** Compares id and type, because ids of different user types are not related (LAYER-2). */
export function isOwnMessage(message: Message, reader: Reader): boolean {
  return message.from_id === reader.id && message.from_type === reader.type;
}

function belongTogether(earlier: Message, later: Message): boolean {
  if (earlier.from_id !== later.from_id || earlier.from_type !== later.from_type) return false;
  return Date.parse(later.created_at) - Date.parse(earlier.created_at) < TOGETHER_MS;
}
