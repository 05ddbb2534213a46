import { type Listening, listenTo, type RunListening } from '../database/listen.ts';
import type { Redis } from '../redis/open-redis.ts';
import { CHANNEL, NEEDS_NOTIFY_LOCK } from './publish-outbox.ts';

interface FollowOptions {
  /** The database itself, without a pooler. */
  url: string;
  redis?: Redis | undefined;
  /** Receives events in the order in which they were published, perhaps some of them twice. */
  onEvents: (events: readonly object[]) => void;
  /** Called for a text that is no batch of events. */
  onUnreadable: (error: unknown) => void;
  /** Some events were missed. Later ones arrive. */
  onMissed: () => void;
  /** From now on every event arrives or is reported as missed. */
  onConnected: () => void;
  /** Nothing arrives until the next `onConnected`. */
  onLost: (error: unknown) => void;
}

interface Batch {
  mark: string;
  number: number;
}

/**
 * Receives the events that a publisher announces, as notifications of the database. With Redis, the publisher does not notify
 * unless a process needs it, which says so with a lock: while it has no subscription, and always without Redis. Both ways can be
 * in use at the same time, and a message can be lost when Redis ends. So batches are numbered: one that came already is skipped,
 * and a gap is reported (SCALE-1).
 */
export function followOutbox(options: FollowOptions): Listening {
  const { url, redis, onLost } = options;
  const follower = new Follower(options);
  redis?.subscribe(CHANNEL, {
    onMessage: (message) => follower.acceptShared(message),
    onSubscribed: () => follower.setSubscribed(true),
    onLost: () => follower.setSubscribed(false),
  });
  return listenTo({
    url,
    channels: [CHANNEL],
    onNotification: (payload) => follower.accept(payload),
    onConnected: (run) => follower.begin(run),
    onLost: (error) => {
      follower.end();
      onLost(error);
    },
  });
}

class Follower {
  readonly #on: FollowOptions;
  /** The connection for notifications, once events are received. */
  #run: RunListening | null = null;
  /** The mark of the database, with which the places of its events begin. */
  #mark = '';
  /** The number of the last batch. */
  #last = 0;
  #isLocked = false;
  #isSubscribed = false;
  #settling = Promise.resolve();
  /** Calls for everything that arrives while a new connection is being prepared; null at other times. */
  #early: (() => void)[] | null = [];

  constructor(on: FollowOptions) {
    this.#on = on;
  }

  /** Begins with the batch that was published last, so that a later gap is noticed. */
  async begin(run: RunListening): Promise<void> {
    this.#isLocked = false;
    if (!this.#isSubscribed) await this.#lock(run);
    const batch = await readBatch(run);
    this.#last = batch.number;
    this.#mark = batch.mark;
    this.#run = run;
    this.#on.onConnected();
    const arrived = this.#early ?? [];
    this.#early = null;
    for (const receive of arrived) receive();
    this.#settle();
  }

  end(): void {
    this.#run = null;
    this.#early = [];
  }

  /** A message of Redis, which several platforms can share. */
  acceptShared(message: string): void {
    this.accept(message, (since) => since.startsWith(`${this.#mark}-`));
  }

  accept(text: string, isOurs: (since: string) => boolean = () => true): void {
    if (this.#early !== null) return void this.#early.push(() => this.#read(text, isOurs, 'early'));
    this.#read(text, isOurs, 'in time');
  }

  /** @param when events that arrived early are passed on even if their batch was the last one already. */
  #read(text: string, isOurs: (since: string) => boolean, when: 'early' | 'in time'): void {
    try {
      const events = JSON.parse(text) as { since?: string; batch?: [previous: number, number: number] }[];
      const [first] = events;
      if (first === undefined || !isOurs(first.since ?? '')) return;
      if (first.batch !== undefined && this.#pass(...first.batch) === 'again' && when === 'in time') return;
      this.#on.onEvents(events);
    } catch (error) {
      this.#on.onUnreadable(error);
    }
  }

  setSubscribed(isSubscribed: boolean): void {
    this.#isSubscribed = isSubscribed;
    this.#settle();
  }

  #pass(previous: number, number: number): 'next' | 'again' {
    if (number <= this.#last) return 'again';
    const isGap = previous > this.#last;
    this.#last = number;
    if (isGap) this.#on.onMissed();
    return 'next';
  }

  /** Shares or releases the lock as it is needed now. If the connection is lost meanwhile, the next one begins with neither. */
  #settle(): void {
    const settle = async () => {
      const run = this.#run;
      if (run === null || this.#isLocked !== this.#isSubscribed) return;
      if (this.#isLocked) {
        this.#isLocked = false;
        return void (await run(`select pg_advisory_unlock_shared(${NEEDS_NOTIFY_LOCK})`));
      }
      await this.#lock(run);
      const { number } = await readBatch(run);
      if (this.#run !== run || number <= this.#last) return;
      this.#last = number;
      this.#on.onMissed();
    };
    this.#settling = this.#settling.then(settle).catch(() => {});
  }

  /** From now on every batch is notified. */
  async #lock(run: RunListening): Promise<void> {
    await run(`select pg_advisory_lock_shared(${NEEDS_NOTIFY_LOCK})`);
    this.#isLocked = true;
  }
}

async function readBatch(run: RunListening): Promise<Batch> {
  const text = 'select database_mark() as mark, coalesce((select batch from outbox_publisher), 0) as number';
  const [row] = (await run(text)) as Batch[];
  if (row === undefined) throw new Error('the database returned no batch');
  return row;
}
