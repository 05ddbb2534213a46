import type { Database, Executor } from '../database.ts';
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
}

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
const PAYLOAD_MAX_BYTES = 7800;
/** An event without its completion is always shorter (`addEvent`). */
const EVENT_MAX_BYTES = 7700;
const NOTHING: Published = { published: null, last_id: null, oldest: null, newest: null };

/**
 * Publishes everything in the outbox: the events on the channel `chain_event`, as arrays in the order of their ids, and one signal
 * for the workers.
 */
export async function publishOutbox({ db, publisher, floor, complete }: Publishing): Promise<Published> {
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
    const taken = rows.flatMap(({ event, since }) => (event === null ? [] : [{ event, since }]));
    const events = taken.map(({ event }) => event);
    const completed = events.length === 0 ? [] : await complete(tx, events);
    const texts = taken.map(({ event, since }, at) => {
      const text = JSON.stringify({ ...(completed[at] ?? event), since });
      return Buffer.byteLength(text) <= EVENT_MAX_BYTES ? text : JSON.stringify({ ...event, since });
    });
    await notify(
      tx,
      inPayloads(texts),
      rows.flatMap(({ event, task }) => (event === null ? [task ?? ''] : [])),
    );
    return { published: rows.length, last_id: last.id, oldest: last.oldest, newest: last.newest };
  });
}

/** @param tasks the tasks of the jobs that workers should start now. */
async function notify(tx: Executor, payloads: readonly string[], tasks: readonly string[]): Promise<void> {
  const signal = { r: Math.random(), count: tasks.length, tasks: Object.fromEntries(tasks.map((task) => [task, true])) };
  const signals = tasks.length === 0 ? [] : [JSON.stringify(signal)];
  const channels = [...payloads.map(() => 'chain_event'), ...signals.map(() => 'jobs:insert')];
  await query(
    tx,
    sql`select pg_notify(channel, payload)
          from unnest(${channels}::text[], ${[...payloads, ...signals]}::text[]) n (channel, payload)`,
  );
}

/** Joins events to as few arrays as possible. */
function inPayloads(texts: readonly string[]): string[] {
  const payloads: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > PAYLOAD_MAX_BYTES) {
      payloads.push([]);
      bytes = 0;
    }
    payloads.at(-1)?.push(text);
    bytes += more;
  }
  return payloads.map((some) => `[${some.join(',')}]`);
}
