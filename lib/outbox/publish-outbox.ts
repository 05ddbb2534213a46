import type { Database, Executor } from '../database.ts';
import type { Redis } from '../redis/open-redis.ts';
import { query, sql } from '../sql.ts';

/** Returns the same events in the same order, each perhaps with more in it. Runs in the transaction that takes them. */
export type CompleteEvents = (tx: Executor, events: readonly object[]) => Promise<object[]>;

interface Publishing {
  db: Database;
  /** The id of the publisher. */
  publisher: string;
  /** Rows up to this id were published. */
  floor: number;
  complete: CompleteEvents;
  redis?: Redis | undefined;
}

/** The channel of events, in PostgreSQL and in Redis. */
export const CHANNEL = 'chain_event';
/** An advisory lock, which processes share that need notifications, because they get nothing from Redis (`followOutbox`). */
export const NEEDS_NOTIFY_LOCK = 7_214_010_040;

/** The result of one look into the outbox. */
export interface Published {
  /** The number of rows, null if another process publishes. */
  published: number | null;
  last_id: number | null;
  oldest: string | null;
  newest: string | null;
}

interface TakenRow {
  id: number;
  event: object | null;
  /** The task of a job that workers should start now. */
  task: string | null;
  since: string;
  oldest: string;
  newest: string;
}

/** A notification has less than 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7900;
/** An event without its completion is always shorter (`addEvent`). */
const EVENT_MAX_BYTES = 7700;
const NOTHING: Published = { published: null, last_id: null, oldest: null, newest: null };

/**
 * Publishes everything in the outbox: the events on the channel `chain_event`, as arrays in the order of their ids, and one signal
 * for the workers. With Redis, events are published there, and notified only if it is away or a process needs it.
 */
export async function publishOutbox(publishing: Publishing): Promise<Published> {
  const { db, publisher, floor } = publishing;
  const [look] = await query<{ is_empty: boolean; is_other: boolean }>(
    db,
    sql`select not exists (select from outbox where id > ${floor}) as is_empty,
               exists (select from outbox_publisher p where p.publisher <> ${publisher}::uuid
                          and p.published_at > clock_timestamp() - interval '300 milliseconds') as is_other`,
  );
  if (look === undefined || look.is_other) return NOTHING;
  if (look.is_empty) return { ...NOTHING, published: 0 };
  return db.transaction(async (tx) => {
    const rows = await query<TakenRow>(
      tx,
      sql`select id, event, task, since, oldest::text, newest::text from take_outbox(${publisher}, ${floor})`,
    );
    const last = rows.at(-1);
    if (last === undefined) return NOTHING;
    const tasks = rows.flatMap(({ event, task }) => (event === null ? [task ?? ''] : []));
    const notifications = [...(await publishEvents(tx, publishing, rows)), ...signalOf(tasks)];
    await query(
      tx,
      sql`select pg_notify(channel, payload)
            from unnest(${notifications.map(({ channel }) => channel)}::text[],
                        ${notifications.map(({ payload }) => payload)}::text[]) n (channel, payload)`,
    );
    return { published: rows.length, last_id: last.id, oldest: last.oldest, newest: last.newest };
  });
}

interface Notification {
  channel: string;
  payload: string;
}

/** Publishes events to Redis, if it is there. @returns the notifications that are needed. */
async function publishEvents(tx: Executor, { complete, redis }: Publishing, rows: readonly TakenRow[]): Promise<Notification[]> {
  const taken = rows.flatMap(({ event, since }) => (event === null ? [] : [{ event, since }]));
  if (taken.length === 0) return [];
  const completed = await complete(
    tx,
    taken.map(({ event }) => event),
  );
  const whole = taken.map(({ event, since }, at) => ({ ...(completed[at] ?? event), since }));
  const place = await takeNumber(tx, rows.at(-1)?.newest ?? '0', redis !== undefined);
  const text = JSON.stringify(whole.map((event, at) => (at === 0 ? { ...event, batch: [place.previous, place.number] } : event)));
  const isPublished = await redis?.run([['publish', CHANNEL, text]]).then(
    () => true,
    () => false,
  );
  if (isPublished === true && !place.needs_notify) return [];
  const short = whole.map((event, at) =>
    Buffer.byteLength(JSON.stringify(event)) <= EVENT_MAX_BYTES ? event : { ...taken[at]?.event, since: event.since },
  );
  return inPayloads(short, place).map((payload) => ({ channel: CHANNEL, payload }));
}

interface BatchPlace {
  /** The number of the batch before this one. */
  previous: number;
  number: number;
  needs_notify: boolean;
}

/** A batch that needs several notifications has a number for each of them, the last one of which is that of the batch. */
const NUMBERS_A_BATCH = 1000;

/** Numbers this batch by its transaction, and finds out whether a process needs notifications if there is Redis. */
async function takeNumber(tx: Executor, transaction: string, hasRedis: boolean): Promise<BatchPlace> {
  const number = Number(transaction) * NUMBERS_A_BATCH + NUMBERS_A_BATCH - 1;
  const [place] = await query<BatchPlace>(
    tx,
    sql`with before as materialized (select batch as previous from outbox_publisher),
             numbered as (update outbox_publisher set batch = ${number})
        select before.previous, ${number}::bigint as number,
               case when ${hasRedis}::boolean then not pg_try_advisory_xact_lock(${NEEDS_NOTIFY_LOCK}) else true end as needs_notify
          from before`,
  );
  return place ?? { previous: 0, number, needs_notify: true };
}

/** Equal notifications of one transaction would be one, so each signal is different. */
function signalOf(tasks: readonly string[]): Notification[] {
  if (tasks.length === 0) return [];
  const signal = { r: Math.random(), count: tasks.length, tasks: Object.fromEntries(tasks.map((task) => [task, true])) };
  return [{ channel: 'jobs:insert', payload: JSON.stringify(signal) }];
}

/** Joins events to as few arrays as possible, the first event of each with the numbers of the array before and of this one. */
function inPayloads(events: readonly object[], { previous, number }: BatchPlace): string[] {
  const parts: object[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    const more = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (bytes + more > PAYLOAD_MAX_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(event);
    bytes += more;
  }
  const first = number - NUMBERS_A_BATCH + 1;
  const numberOf = (part: number) => (part < parts.length - 1 ? Math.min(first + part, number - 1) : number);
  return parts.map(([event, ...others], part) =>
    JSON.stringify([{ ...event, batch: [part === 0 ? previous : numberOf(part - 1), numberOf(part)] }, ...others]),
  );
}
