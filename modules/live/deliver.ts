import { countUnreadOfMany, readSharedMessages } from '@case-platform/modules/messaging';
import { findEnded } from './find-ended.ts';
import type { LiveChange, LiveContext } from './live-event.ts';
import type { Reader, ReaderSet } from './reader-set.ts';

/** An event for a reader who could see it when it was published, or can see it now. */
export interface Delivery {
  reader: Reader;
  change: LiveChange;
}

/** The parts of a process that deliver events. */
export interface Delivering {
  context: LiveContext;
  readers: ReaderSet;
  leave: (reader: Reader) => void;
}

/**
 * Sends events in this order, with one statement for the streams that have ended and one for the messages, however many readers
 * there are. Streams whose account, permission, token, or session has ended get nothing and are closed (LIVE-3).
 * @returns the readers whose unread count may have changed, each with the place of their last event.
 */
export async function deliver(process: Delivering, deliveries: readonly Delivery[]): Promise<Map<Reader, string>> {
  const { context, readers } = process;
  await dropEnded(process, [...new Set(deliveries.map(({ reader }) => reader))]);
  const present = deliveries.filter(({ reader }) => readers.has(reader));
  const readings = new Map<string, { message_id: number; user: Reader['user'] }>();
  for (const { reader, change } of present)
    if (change.kind === 'message')
      readings.set(`${reader.user.id} ${change.message_id}`, { message_id: change.message_id, user: reader.user });
  const messages = await readSharedMessages(context, [...readings.values()]);
  const toCount = new Map<Reader, string>();
  // Of the changes of a case, only the last one of a batch is sent.
  const lastOfCase = new Map<string, LiveChange>();
  const keyOf = ({ reader, change }: Delivery) => (change.kind === 'case' ? `${reader.user.id} ${change.case_id}` : '');
  for (const delivery of present) if (delivery.change.kind === 'case') lastOfCase.set(keyOf(delivery), delivery.change);
  for (const delivery of present) {
    const { reader, change } = delivery;
    if (!readers.has(reader)) continue;
    if (change.kind !== 'case') send(reader, change, messages);
    else if (lastOfCase.get(keyOf(delivery)) === change) send(reader, change, messages);
    if (change.kind === 'message' || change.kind === 'chain' || change.kind === 'marks') toCount.set(reader, change.since);
  }
  return toCount;
}

function send(reader: Reader, change: LiveChange, messages: Awaited<ReturnType<typeof readSharedMessages>>): void {
  const { kind, since: id } = change;
  if (kind === 'message') {
    const message = messages.of(reader.user.id, change.message_id);
    // For example, a connection of the pool still leads to a server that was replaced. All streams end and catch up.
    if (message === undefined) throw new Error(`message ${change.message_id} is gone`);
    reader.send({ event: 'message', id, data: { chain_id: change.chain_id, message } });
  }
  if (kind === 'chain' || kind === 'note') reader.send({ event: 'chain', id, data: { chain_id: change.chain_id } });
  if (kind === 'case') reader.send({ event: 'case', id, data: { case_id: change.case_id } });
  if (kind === 'writing') {
    const { chain_id, name, writing } = change;
    reader.send({ event: 'writing', id, data: { chain_id, name, writing } });
  }
}

/** Ends streams of readers who may no longer receive events. */
export async function dropEnded({ context, readers, leave }: Delivering, some: readonly Reader[]): Promise<void> {
  for (const reader of await findEnded(context.db, some)) if (readers.has(reader)) leave(reader);
}

/** Sends each of these readers their unread count, with the place of their last event. */
export async function sendCounts({ context, readers }: Delivering, places: ReadonlyMap<Reader, string>): Promise<void> {
  const counted = [...places.keys()].filter((reader) => readers.has(reader));
  const people = [...new Map(counted.map(({ user }) => [user.id, user])).values()];
  const counts = await countUnreadOfMany(context.db, people);
  for (const reader of counted) {
    const data = counts.get(reader.user.id);
    if (data !== undefined && readers.has(reader)) reader.send({ event: 'unread', id: places.get(reader) ?? reader.place, data });
  }
}
