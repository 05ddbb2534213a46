import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import type { Log } from '../log.ts';
import type { Redis } from '../redis/open-redis.ts';
import { type CompleteEvents, type Published, publishOutbox } from './publish-outbox.ts';

export interface Publisher {
  /** Ends after the current look into the outbox. The other processes publish what comes later. */
  stop(): Promise<void>;
}

interface PublisherOptions {
  db: Database;
  log: Log;
  redis?: Redis | undefined;
  /** Adds what each process would otherwise find out by itself. If it fails, events are published as they are. */
  complete?: CompleteEvents;
  /** The time between two looks, and so the longest delay of an event. */
  everyMs?: number;
}

/** Nobody notices this delay, and what several transactions announce is published together. */
const EVERY_MS = 100;
/** While another process publishes; it is passed over after this long without a publication (`take_outbox`). */
const PASSIVE_EVERY_MS = 300;
/** After an error, usually because the database is away. */
const ERROR_WAIT_MS = 1000;
/** After an error, events are published as they are for this long, in case they could not be completed. */
const PLAIN_MS = 5000;
/** The ids start again at 1 when the server has crashed, so all rows are read again from time to time. */
const FLOOR_LIFETIME_MS = 5000;

const asTheyAre: CompleteEvents = async (_tx, events) => [...events];

/**
 * Publishes the outbox of the database from time to time: the events as notifications, and a signal for the workers. Every process
 * with a database runs one. They take turns by themselves: one publishes as long as there is something to publish, and if it dies,
 * another one continues within half a second.
 */
export function startPublisher({ db, log, redis, complete = asTheyAre, everyMs = EVERY_MS }: PublisherOptions): Publisher {
  const publisher = randomUUID();
  const floor = new Floor();
  let wait = everyMs;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failed = false;
  let plainUntil = 0;

  async function publish(): Promise<void> {
    const isPlain = performance.now() < plainUntil;
    try {
      const result = await publishOutbox({
        db,
        publisher,
        redis,
        floor: floor.current(),
        complete: isPlain ? asTheyAre : complete,
      });
      floor.raise(result);
      wait = result.published === null ? PASSIVE_EVERY_MS : everyMs;
      failed = false;
    } catch (err) {
      if (!failed && !stopped) log.warn({ err }, 'events could not be published');
      failed = true;
      floor.reset();
      wait = isPlain ? ERROR_WAIT_MS : everyMs;
      plainUntil = performance.now() + PLAIN_MS;
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
