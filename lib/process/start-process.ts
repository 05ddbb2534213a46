import type pg from 'pg';
import type { Config } from '../config.ts';
import { requireDirectRoute } from '../database/database-route.ts';
import { POOL_SIZES, REPLICA_POOL_SIZE } from '../database/pool-sizes.ts';
import { databaseIsReady, migrationsAreApplied, queueIsReady } from '../database/readiness-checks.ts';
import { createReplicaReads, readPrimary } from '../database/replica-reads.ts';
import { createDatabase, createPool } from '../database.ts';
import { createLog, type Log } from '../log.ts';
import { addDatabaseMetrics } from '../metrics/database-metrics.ts';
import { watchProcess } from '../metrics/watch-process.ts';
import type { CompleteEvents } from '../outbox/publish-outbox.ts';
import { startPublisher } from '../outbox/publisher.ts';
import { runUntilStopped } from '../process.ts';
import { openRedis } from '../redis/open-redis.ts';
import { traceProcess } from '../tracing/trace-process.ts';

interface Running {
  /** Stops taking work and closes the process's own connections. The parts of `startProcess` are closed after it. */
  close: () => Promise<void>;
  /** How long the process still accepts work after it has reported that it is not ready. */
  drainSeconds?: number;
  /** For the supervisor, along with `ready`. */
  info?: Record<string, unknown>;
}

/**
 * Starts the parts that every process with a database has: the log, the pool, the publisher of the outbox, metrics, tracing, and
 * the checks of its readiness.
 * @param parts the names of the migrations of this version, and what completes the events that this process publishes.
 * @throws {Error} in one sentence for a setting with which the process must not start.
 */
export async function startProcess(
  name: keyof typeof POOL_SIZES,
  config: Config,
  { migrations, completeEvents }: { migrations: readonly string[]; completeEvents: CompleteEvents },
) {
  const log = createLog(name, config.logLevel);
  await requireDirectRoute(config);
  // The queue uses LISTEN, which a pooler does not support, and a worker has few connections anyway.
  const address =
    name === 'worker' ? { url: config.databaseDirectUrl } : { url: config.databaseUrl, hasSession: !config.isPooled };
  const pool = createPool({
    ...address,
    name,
    max: POOL_SIZES[name],
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const db = createDatabase(pool);
  const redis = config.redisUrl === undefined ? undefined : await openRedis({ url: config.redisUrl, log });
  const publisher = startPublisher({ db, log, redis, complete: completeEvents });
  const replica = name === 'worker' ? undefined : openReplica(name, config, pool, log);
  const migrated = migrationsAreApplied(pool, migrations);
  const watch = await watchProcess(name, config);
  const tracing = await traceProcess(name, config, log);
  if (watch !== null) addDatabaseMetrics(watch.metrics, pool);
  let internal: Awaited<ReturnType<NonNullable<typeof watch>['serve']>> | undefined;
  return {
    log,
    pool,
    db,
    /** Undefined without REDIS_URL. */
    redis,
    readLagging: replica?.read ?? readPrimary(db),
    tracing,
    /** Undefined in a process without an internal port. */
    metrics: watch?.metrics,
    migrated,
    checks: [databaseIsReady(pool), migrated, queueIsReady(pool)],
    /** Answers probes and metrics on the internal port, if the process has one. */
    async serveInternally(ready: () => Promise<unknown>): Promise<void> {
      internal = await watch?.serve(ready);
    },
    /** Runs until the process is stopped, then closes everything. */
    run: ({ close, info, ...rest }: Running): Promise<never> =>
      runUntilStopped({
        name,
        log,
        ...rest,
        info: { ...info, internal_port: internal?.port },
        close: async () => {
          await close();
          await publisher.stop();
          redis?.stop();
          await Promise.all([pool.end(), replica?.close()]);
          await tracing?.stop();
          internal?.stop();
        },
      }),
  };
}

/** Short limits, because the primary answers instead. Readiness does not depend on a replica. */
function openReplica(name: string, { databaseReplicaUrl: url }: Config, primary: pg.Pool, log: Log) {
  if (url === undefined) return undefined;
  const onError = (error: Error) => log.warn({ err: error }, 'connection to the replica lost');
  const pool = createPool({ url, name, max: REPLICA_POOL_SIZE, limitMs: 5000, connectWithinMs: 1000, onError });
  const { read, stop } = createReplicaReads({ primary, replica: pool, log });
  const close = () => {
    stop();
    return pool.end();
  };
  return { read, close };
}
