import { randomUUID } from 'node:crypto';
import type { Executor } from '../database.ts';
import type { Log } from '../log.ts';
import { query, sql } from '../sql.ts';

export interface Publisher {
  /** Ends after the current look into the outbox. The other processes publish what comes later. */
  stop(): Promise<void>;
}

interface PublisherOptions {
  db: Executor;
  log: Log;
  /** The shortest wait between two looks, which is the delay of an event while there are many. */
  shortestWaitMs?: number;
  /** The time between two looks, and so the longest delay of an event. */
  everyMs?: number;
}

/** The result of `publish_outbox`. */
interface Published {
  /** Null if another process publishes. */
  published: number | null;
  last_id: number | null;
  oldest: string | null;
  newest: string | null;
}

/** Nobody notices this delay, and what several transactions announce is published together. */
const EVERY_MS = 100;
/** While another process publishes; it is passed over after this long without a publication (`publish_outbox`). */
const PASSIVE_EVERY_MS = 300;
/** After an error, usually because the database is away. */
const ERROR_WAIT_MS = 1000;
/** The ids start again at 1 when the server has crashed, so all rows are read again from time to time. */
const FLOOR_LIFETIME_MS = 5000;

/**
 * Publishes the outbox of the database from time to time: the events as notifications, and a signal for the workers. Every process
 * with a database runs one. They take turns by themselves: one publishes as long as there is something to publish, and if it dies,
 * another one continues within half a second.
 */
export function startPublisher({ db, log, everyMs = EVERY_MS }: PublisherOptions): Publisher {
  const publisher = randomUUID();
  const floor = new Floor();
  let wait = everyMs;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failed = false;

  async function publish(): Promise<void> {
    try {
      const [result] = await query<Published>(
        db,
        sql`select published, last_id, oldest, newest from publish_outbox(${publisher}, ${floor.current()})`,
      );
      if (result !== undefined) floor.raise(result);
      wait = result?.published === null ? PASSIVE_EVERY_MS : everyMs;
      failed = false;
    } catch (err) {
      if (!failed && !stopped) log.warn({ err }, 'events could not be published');
      failed = true;
      floor.reset();
      wait = ERROR_WAIT_MS;
    }
    if (!stopped) timer = setTimeout(run, wait).unref();
  }

  let running = Promise.resolve();
  function run(): void {
    running = publish();
  }
  run();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * The id up to which the outbox is read. While a backup runs, PostgreSQL keeps every row that was deleted meanwhile, and each look
 * would pass all of them again.
 */
class Floor {
  #floor = 0;
  #since = performance.now();
  /** The last id that was published, which becomes the floor when all transactions that may have earlier ids have ended. */
  #next: { id: number; endedAt: bigint } | null = null;

  current(): number {
    if (performance.now() - this.#since > FLOOR_LIFETIME_MS) this.reset();
    return this.#floor;
  }

  reset(): void {
    this.#floor = 0;
    this.#next = null;
    this.#since = performance.now();
  }

  raise({ last_id, oldest, newest }: Published): void {
    if (last_id === null || oldest === null || newest === null) return;
    if (this.#next !== null && BigInt(oldest) >= this.#next.endedAt) {
      this.#floor = this.#next.id;
      this.#next = null;
    }
    this.#next ??= { id: last_id, endedAt: BigInt(newest) };
  }
}
