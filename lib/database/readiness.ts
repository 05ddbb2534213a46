import type pg from 'pg';
import type { Log } from '../log.ts';
import { isStopping } from '../process.ts';
import { IS_WRITABLE, READ_ONLY } from './database-client.ts';

/** One thing that must be there; rejects while it is not. */
export type ReadinessCheck = () => Promise<unknown>;

/** Load balancers ask often, and nobody has to be known to ask: an answer counts for this long. */
const COUNTS_FOR_MS = 1000;
const ANSWER_WITHIN_MS = 3000;

interface Patience {
  /** For an answer is waited this long. */
  withinMs?: number;
}

/**
 * Asks every check at once, at most once a second however many ask (decisions, section 13: 'Ready means'). What is away is
 * logged when it goes, and when it is back.
 * @returns a function that rejects with what is away, or has not answered in time.
 */
export function createReadiness(
  checks: readonly ReadinessCheck[],
  log: Log,
  { withinMs = ANSWER_WITHIN_MS }: Patience = {},
): () => Promise<void> {
  let asked: Promise<void> | null = null;
  let isAway = false;
  const ask = async () => {
    const late = new AbortController();
    const limit = new Promise<never>((_resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a check took too long')), withinMs);
      late.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    try {
      await Promise.race([Promise.all(checks.map((check) => check())), limit]);
    } finally {
      late.abort();
    }
  };
  return () => {
    if (isStopping()) return Promise.reject(new Error('the process is stopping'));
    if (asked === null) {
      asked = ask();
      const note = (err?: unknown) => {
        setTimeout(() => (asked = null), COUNTS_FOR_MS).unref();
        if (isAway !== (err !== undefined)) log.warn({ err }, isAway ? 'ready again' : 'not ready');
        isAway = err !== undefined;
      };
      asked.then(() => note(), note);
    }
    return asked;
  };
}

/**
 * The database answers, can be written, and its commits come back: one that waits for a lost standby does not. Written is a
 * message in the write-ahead log alone, which no table keeps.
 */
export function databaseIsReady(pool: pg.Pool, { withinMs = ANSWER_WITHIN_MS }: Patience = {}): ReadinessCheck {
  const ask = (text: string) => pool.query({ text, query_timeout: withinMs } as pg.QueryConfig);
  return async () => {
    const { rows } = await ask(IS_WRITABLE);
    if (rows[0]?.writable !== true)
      throw Object.assign(new Error('the database can only be read'), { code: READ_ONLY });
    await ask(`select pg_logical_emit_message(true, 'ready', '')`);
  };
}

/** The queue's schema is there, as far as the functions go that jobs are added by. */
export function queueIsReady(pool: pg.Pool): ReadinessCheck {
  return async () => {
    const { rows } = await pool.query(
      `select to_regclass('graphile_worker._private_jobs') is not null
          and to_regproc('graphile_worker.add_job') is not null as present`,
    );
    if (rows[0]?.present !== true) throw new Error("the queue's schema is missing");
  };
}
