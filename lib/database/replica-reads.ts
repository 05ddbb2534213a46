import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createDatabase, type Database, isDatabaseUnavailable } from '../database.ts';
import type { Log } from '../log.ts';

/**
 * Runs work that only reads and may see the database as it was a few seconds ago (SCALE-5). It can run twice: on the replica, and
 * on the primary if the replica could not answer.
 * @param confirm rejects unless the work is allowed now. It runs on the primary, beside work on the replica.
 */
export type ReadLagging = <Result>(
  work: (db: Database) => Promise<Result>,
  confirm?: (primary: Database) => Promise<void>,
) => Promise<Result>;

/** Everything is read from the primary, because there is no replica. */
export function readPrimary(db: Database): ReadLagging {
  return (work) => work(db);
}

/** A replica that was not known to have everything of this long ago is not used. */
export const LAG_MAX_MS = 5000;
const CHECK_EVERY_MS = 1000;
const CHECK_WITHIN_MS = 1000;
const AGAIN_AFTER_MS = 100;

class LagError extends Error {}

/** How far the primary has written at a time, in milliseconds. */
interface Position {
  at: number;
  lsn: string;
}

interface ReplicaOptions {
  primary: pg.Pool;
  replica: pg.Pool;
  log: Pick<Log, 'info' | 'warn'>;
  lagMaxMs?: number;
  checkEveryMs?: number;
}

export interface ReplicaReads {
  read: ReadLagging;
  /** Compares both servers now. @throws {Error} if the replica must not be used, with the reason. */
  check(): Promise<void>;
  /** Like `check`, but waits up to `lagMaxMs` for a replica that lags. For programs that run once. */
  catchUp(): Promise<void>;
  stop(): void;
}

/**
 * Sends reads to a replica while it has everything that the primary had written at most `lagMaxMs` ago. That is measured by
 * positions in the write-ahead log, and so by one clock: the replica's own figures show no lag when it has lost the primary.
 */
export function createReplicaReads(options: ReplicaOptions): ReplicaReads {
  const { primary, replica, log, lagMaxMs = LAG_MAX_MS, checkEveryMs = CHECK_EVERY_MS } = options;
  const [primaryDb, replicaDb] = [createDatabase(primary), createDatabase(replica)];
  let positions: Position[] = [];
  let freshAt = Number.NEGATIVE_INFINITY;
  let isUsed: boolean | undefined;
  const isFresh = () => performance.now() - freshAt <= lagMaxMs;
  const check = async () => {
    const at = performance.now();
    const { lsn, history } = await readPosition(primary);
    positions = [...positions.filter((position) => at - position.at <= lagMaxMs), { at, lsn }];
    try {
      const passed = await countPassed(replica, positions, history);
      freshAt = positions[passed - 1]?.at ?? freshAt;
    } catch (error) {
      freshAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
    if (!isFresh()) throw new LagError(`the replica lags more than ${lagMaxMs} ms`);
  };
  const checkAndLog = () =>
    check().then(
      () => {
        if (isUsed !== true) log.info('the replica is used');
        isUsed = true;
      },
      (err) => {
        // If only the primary did not answer, the last figure counts until it is too old.
        if (isFresh()) return;
        if (isUsed !== false) log.warn({ err }, 'the replica is not used: the primary answers');
        isUsed = false;
      },
    );
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= checkAndLog().finally(() => (running = undefined));
  }, checkEveryMs);
  timer.unref();
  return {
    async read(work, confirm) {
      if (isFresh()) {
        const [result, confirmed] = await Promise.allSettled([work(replicaDb), confirm?.(primaryDb)]);
        if (result.status === 'fulfilled' && confirmed.status === 'fulfilled') return result.value;
        if (result.status === 'rejected' && isDatabaseUnavailable(result.reason)) freshAt = Number.NEGATIVE_INFINITY;
        // The replica may lack a row or a right, or its recovery got in the way. The primary knows.
      }
      return work(primaryDb);
    },
    check,
    async catchUp() {
      const deadline = performance.now() + lagMaxMs;
      for (;;) {
        try {
          await check();
          return;
        } catch (error) {
          if (!(error instanceof LagError) || performance.now() > deadline) throw error;
        }
        await sleep(AGAIN_AFTER_MS);
      }
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Identifies a database of a cluster, and its timeline. A standby that still follows a primary that was replaced is not used,
 * because it may have what the new one never had. After a promotion others are used again from their next checkpoint on.
 */
const HISTORY = `(select system_identifier from pg_control_system()) || '/'
  || (select timeline_id from pg_control_checkpoint()) || '/' || current_database()`;

async function readPosition(primary: pg.Pool): Promise<{ lsn: string; history: string }> {
  const text = `select pg_current_wal_lsn()::text as lsn, ${HISTORY} as history`;
  const { rows } = await primary.query(limited(text));
  return rows[0];
}

/** Counts the positions, in ascending order, that the replica has passed. */
async function countPassed(replica: pg.Pool, positions: readonly Position[], history: string): Promise<number> {
  const text = `select ${HISTORY} as history, pg_is_in_recovery() as "isStandby",
    (select count(*)::int from unnest($1::pg_lsn[]) position (lsn) where lsn <= pg_last_wal_replay_lsn()) as passed`;
  const { rows } = await replica.query(limited(text, [positions.map(({ lsn }) => lsn)]));
  const [{ history: own, isStandby, passed }] = rows;
  if (own !== history) throw new Error('the replica belongs to another database or timeline');
  if (!isStandby) throw new Error('the replica is not a standby');
  return passed;
}

function limited(text: string, values: unknown[] = []): pg.QueryConfig {
  return { text, values, query_timeout: CHECK_WITHIN_MS } as pg.QueryConfig;
}
