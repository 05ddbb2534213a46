import { type Delivering, type Delivery, deliver, dropEnded, sendCounts } from './deliver.ts';
import { findAudiences } from './find-audiences.ts';
import type { LiveChange } from './live-event.ts';
import { findPlace, listMissed } from './missed-messages.ts';
import type { Reader } from './reader-set.ts';

/** A message is announced this long after its commit at the latest, unless nothing can be published for a while. */
const ANNOUNCED_WITHIN_MS = 10_000;

/**
 * Sends these readers what they missed, then what was announced meanwhile, and their unread counts. All of them share each
 * statement, so that many can come back at once.
 */
export async function catchUp(process: Delivering, group: readonly Reader[]): Promise<void> {
  const { context, readers } = process;
  await dropEnded(process, group);
  const place = await findPlace(context.db);
  for (const reader of group) reader.place = place;
  const missed = await listMissed(context.db, group, place);
  const deliveries: Delivery[] = [];
  for (const reader of group) {
    const messages = missed.get(reader);
    if (reader.since === undefined || !readers.has(reader)) continue;
    if (messages === undefined) reader.send({ event: 'resync', id: place, data: {} });
    // A stream that breaks off in the middle begins again where it began now: the order of ids is not that of places.
    for (const { chain_id, message_id } of messages ?? [])
      deliveries.push({ reader, change: { kind: 'message', chain_id, message_id, since: reader.since } });
  }
  for (const reader of group) if (reader.missed !== null) reader.send({ event: 'current', id: place, data: {} });
  deliveries.push(...(await findMissedByPages(process, group)));
  for (const { reader, change } of deliveries) if (change.kind === 'message') reader.caughtUp.add(change.message_id);
  setTimeout(() => {
    for (const reader of group) reader.caughtUp.clear();
  }, ANNOUNCED_WITHIN_MS).unref();
  await deliver(process, deliveries);
  for (let behind = group.filter((reader) => readers.has(reader)); behind.length > 0; ) {
    const waiting = behind.flatMap((reader) => (reader.waiting?.splice(0) ?? []).map((change) => ({ reader, change })));
    const isNew = ({ reader, change }: Delivery) => change.kind !== 'message' || !reader.caughtUp.delete(change.message_id);
    await deliver(process, waiting.filter(isNew));
    behind = behind.filter((reader) => readers.has(reader) && (reader.waiting?.length ?? 0) > 0);
    for (const reader of group) if (!behind.includes(reader)) reader.waiting = null;
  }
  await sendCounts(process, new Map(group.map((reader) => [reader, place])));
}

/** The changes that the readers' pages may not show, for those who see them now, the changes of cases first. */
async function findMissedByPages({ context }: Delivering, group: readonly Reader[]): Promise<Delivery[]> {
  const changes = [...new Set(group.flatMap(({ missed }) => missed ?? []))];
  const audiences = await findAudiences(context.db, changes);
  const audienceOf = new Map<LiveChange, ReadonlySet<number>>(changes.map((change, at) => [change, new Set(audiences[at])]));
  return group.flatMap((reader) =>
    (reader.missed?.splice(0) ?? [])
      .filter((change) => audienceOf.get(change)?.has(reader.user.id))
      .sort((one, other) => Number(other.kind === 'case') - Number(one.kind === 'case'))
      .map((change) => ({ reader, change })),
  );
}
