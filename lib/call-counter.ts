import { createHash } from 'node:crypto';
import { type LimitUse, TooManyRequestsError } from './errors.ts';
import type { Log } from './log.ts';
import type { Redis } from './redis/open-redis.ts';
import { type Executor, query, sql } from './sql.ts';

/** How many calls a minute are allowed, and the message for more. */
interface CallLimit {
  most: number;
  words: (seconds: number) => string;
}

export interface CallCounter<Kind extends string> {
  /**
   * Counts one call of this subject in the current minute. @returns what is left, as far as this process knows.
   * @throws {TooManyRequestsError} for a call above the limit, with the seconds until the next minute.
   */
  count(kind: Kind, subject: string): Promise<LimitUse>;
  /** Writes the counts that are not in the database yet. */
  stop(): Promise<void>;
}

interface Options<Kind extends string> {
  pool: Executor;
  /** Counts instead of the database while it is there (SCALE-1). */
  redis?: Redis | undefined;
  limits: Record<Kind, CallLimit>;
  log: Log;
  now: () => Date;
  /** How long a call waits for the database before this process's own count decides. */
  waitMs?: number;
}

/** The count of one subject in the current minute, as far as this process knows it. */
interface Count {
  /** The calls of all processes as the database counted them, plus ours that are being written. */
  reported: number;
  /** Calls of ours that are not being written yet. */
  unreported: number;
  /** True once the database has answered in this minute. */
  isShared: boolean;
}

const MINUTE_MS = 60_000;
/** Counts far below a limit are written this late, in one statement for all subjects. */
const WRITE_AFTER_MS = 500;
const WAIT_MS = 1000;
/** Rows that are this old are deleted every tenth minute. */
const KEPT_MINUTES = 10;
/** Redis forgets counts that no longer matter. */
const REDIS_SECONDS = 120;

/**
 * Counts calls per minute, for all processes together (RATE-1). In the lower half of a limit no call waits: the calls of half a
 * second are written in one statement. The first call of a subject in a minute, and those in the upper half, wait until the
 * database says what other processes have counted; calls that arrive meanwhile share the next statement. A subject above its
 * limit is rejected from memory. Without the database each process counts by itself: counting never fails a call. With Redis, the
 * counts are there, and in the database while it is away.
 */
export function createCallCounter<Kind extends string>(options: Options<Kind>): CallCounter<Kind> {
  const { limits, now } = options;
  let minute = 0;
  let counts = new Map<string, Count>();
  const table = new CountTable(options, () => minute);

  const countOf = (key: string): Count => {
    const count = counts.get(key) ?? { reported: 0, unreported: 0, isShared: false };
    counts.set(key, count);
    return count;
  };

  return {
    async count(kind, subject) {
      const { most, words } = limits[kind];
      const time = now().getTime();
      const resetSeconds = Math.ceil((MINUTE_MS - (time % MINUTE_MS)) / 1000);
      const useAfter = (calls: number): LimitUse => {
        const limit = { name: kind, quota: most, windowSeconds: 60, remaining: Math.max(0, most - calls), resetSeconds };
        if (calls > most) throw Object.assign(new TooManyRequestsError(resetSeconds, words(resetSeconds)), { limit });
        return limit;
      };
      if (Math.floor(time / MINUTE_MS) !== minute) {
        minute = Math.floor(time / MINUTE_MS);
        counts = new Map();
        table.beginMinute();
      }
      const key = `${kind}:${subject}`;
      const count = countOf(key);
      if (count.reported >= most) return useAfter(count.reported + 1);
      count.unreported += 1;
      const place = count.unreported;
      table.add(key, count);
      if (count.isShared && count.reported + place <= most / 2) return useAfter(count.reported + place);
      const before = (await table.report())?.get(key) ?? count.reported + count.unreported - place;
      return useAfter(before + place);
    },
    stop: () => table.stop(),
  };
}

/** Calls of a subject that are being written. */
interface NewCalls {
  subject: string;
  calls: number;
}

type Before = ReadonlyMap<string, number>;

/** The database side: one statement at a time, each with everything that has accumulated since the previous one. */
class CountTable {
  readonly #pool: Executor;
  readonly #redis: Redis | undefined;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #minute: () => number;
  readonly #waitMs: number;
  #waiting = new Map<string, Count>();
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Before | null> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor({ pool, redis, log, now, waitMs = WAIT_MS }: Omit<Options<string>, 'limits'>, minute: () => number) {
    this.#pool = pool;
    this.#redis = redis;
    this.#log = log;
    this.#now = now;
    this.#minute = minute;
    this.#waitMs = waitMs;
  }

  /** Counts of the previous minute that were never written no longer matter. */
  beginMinute(): void {
    this.#waiting = new Map();
    const oldest = this.#minute() - KEPT_MINUTES;
    if (this.#minute() % KEPT_MINUTES === 0) this.#after(() => this.#forget(oldest));
  }

  add(key: string, count: Count): void {
    this.#waiting.set(key, count);
    this.#timer ??= setTimeout(() => void this.report(), WRITE_AFTER_MS).unref();
  }

  /**
   * Writes the counts that are waiting. @returns the counts before these calls, or null if the database does not answer in time.
   */
  report(): Promise<Before | null> {
    if (this.#next !== null) return this.#next;
    let timer: NodeJS.Timeout | undefined;
    const reported = this.#after(() => {
      this.#next = null;
      return this.#write();
    });
    const tooLate = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, this.#waitMs, null).unref();
    });
    this.#next = Promise.race([reported, tooLate]).finally(() => clearTimeout(timer));
    return this.#next;
  }

  async stop(): Promise<void> {
    await this.report();
  }

  /**
   * Runs the work when the previous work has ended, even if it failed, so that a database that hangs gets one statement at a
   * time.
   */
  #after<Result>(work: () => Promise<Result>): Promise<Result | null> {
    const result = this.#running.then(work).then(
      (value) => this.#note(null, value),
      (error) => this.#note(error, null),
    );
    this.#running = result;
    return result;
  }

  #isMinuteOver(): boolean {
    return Math.floor(this.#now().getTime() / MINUTE_MS) > this.#minute();
  }

  async #write(): Promise<Before> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reported = this.#waiting;
    this.#waiting = new Map();
    // Without a call in a new minute, the timer may run in it. The counts must not be added to those of the new minute.
    if (reported.size === 0 || this.#isMinuteOver()) return new Map();
    // All processes use the same order, so that no two wait for each other.
    const rows = [...reported]
      .map(([key, count]) => ({ key, subject: hash(key), count, calls: count.unreported, before: count.reported }))
      .sort((one, other) => (one.subject < other.subject ? -1 : 1));
    for (const { count, calls } of rows) {
      count.reported += calls;
      count.unreported = 0;
    }
    const totals = (await this.#countInRedis(rows)) ?? (await this.#countInTable(rows));
    for (const row of rows) {
      // After a change between the two, there are fewer calls than are known here.
      row.count.reported = Math.max(row.count.reported, totals.get(row.subject) ?? 0);
      row.count.isShared = true;
      row.before = row.count.reported - row.calls;
    }
    return new Map(rows.map(({ key, before }) => [key, before]));
  }

  /** @returns the calls of each subject in this minute, or null without Redis. */
  async #countInRedis(rows: readonly NewCalls[]): Promise<Map<string, number> | null> {
    if (this.#redis === undefined) return null;
    const keys = rows.map(({ subject }) => `calls:${this.#minute()}:${subject}`);
    const commands = rows.flatMap(({ calls }, at) => [
      ['incrby', keys[at] ?? '', calls],
      ['expire', keys[at] ?? '', REDIS_SECONDS],
    ]);
    const answers = await this.#redis.run(commands).catch(() => null);
    return answers && new Map(rows.map(({ subject }, at) => [subject, Number(answers[at * 2])]));
  }

  async #countInTable(rows: readonly NewCalls[]): Promise<Map<string, number>> {
    const subjects = rows.map(({ subject }) => subject);
    const calls = rows.map((row) => row.calls);
    const answer = await query<{ subject: string; calls: number }>(
      this.#pool,
      sql`insert into call_count as c (subject, minute, calls)
          select subject, ${this.#minute()}::int, calls
            from unnest(${subjects}::text[], ${calls}::int[]) as new_calls (subject, calls)
          on conflict (subject) do update
             set calls = case when c.minute < excluded.minute then excluded.calls else c.calls + excluded.calls end,
                 minute = greatest(c.minute, excluded.minute)
          returning subject, calls`,
    );
    return new Map(answer.map((row) => [row.subject, row.calls]));
  }

  /** Skips a row that is being counted at the moment, so that two processes never wait for each other. */
  #forget(oldest: number): Promise<unknown> {
    return query(
      this.#pool,
      sql`delete from call_count
           where subject in (select subject from call_count where minute < ${oldest} for update skip locked)`,
    );
  }

  /** Logs the first failure only, until counting works again. */
  #note<Value>(error: unknown, value: Value): Value {
    if (error !== null && !this.#hasFailed) this.#log.warn({ err: error }, 'calls are counted by this process only');
    this.#hasFailed = error !== null;
    return value;
  }
}

/** Addresses and people are stored as hashes, because only their equality matters. */
function hash(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
