import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool, type Database, isDatabaseUnavailable } from '@case-platform/lib/database';
import { refuseWrongRoute } from '@case-platform/lib/database/database-route';
import { POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import {
  databaseIsReady,
  migrationsAreApplied,
  queueIsReady,
  untilPassed,
} from '@case-platform/lib/database/readiness';
import { listen } from '@case-platform/lib/http-server';
import { createLog, type Log } from '@case-platform/lib/log';
import { showDatabase } from '@case-platform/lib/metrics/database-metrics';
import { watchProcess } from '@case-platform/lib/metrics/watch-process';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { createReadiness, logIfNotPrepared, NotPreparedError, type ReadinessCheck } from '@case-platform/lib/readiness';
import { traceProcess } from '@case-platform/lib/tracing/trace-process';
import { createCallLimits, createThrottle, synchronisePermissions } from '@case-platform/modules/accounts';
import { LiveUpdates, showLive } from '@case-platform/modules/live';
import { checkBucket, closeStorage, createStorage, showBucket } from '@case-platform/modules/storage';
import { createAdminServer } from './server.ts';

try {
  const config = loadConfigWithDatabase('admin');
  const log = createLog('admin', config.logLevel);
  await refuseWrongRoute(config);
  const pool = createPool({
    url: config.databaseUrl,
    hasSession: !config.isPooled,
    name: 'admin',
    max: POOL_SIZES.admin,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const db = createDatabase(pool);
  const storage = createStorage(config.s3);
  const throttle = createThrottle(pool, config.limits);
  const callLimits = createCallLimits({ pool, log, limits: config.limits });
  const live = new LiveUpdates({ db, storage, url: config.databaseDirectUrl, log });
  live.start();
  const migrated = migrationsAreApplied(pool, migrationNames());
  await synchronise(db, migrated, log);
  const checks = [databaseIsReady(pool), migrated, queueIsReady(pool), () => checkBucket(storage)];
  const ready = createReadiness(checks, log);
  const watched = await watchProcess('admin', config);
  const tracing = await traceProcess('admin', config, log);
  if (watched !== null) {
    showDatabase(watched.metrics, pool);
    showBucket(watched.metrics, storage);
    showLive(watched.metrics, live);
  }
  const app = await createAdminServer({
    config,
    db,
    storage,
    live,
    ready,
    requirePrepared: untilPassed(migrated),
    observeRequest: watched?.metrics.observeRequest,
    logsEachRequest: config.accessLog,
    tracing,
    throttle,
    callLimits,
    encryptionKey: config.encryptionKeys,
    log,
  });
  const port = await listen(app, config.host, config.adminPort);
  const internal = await watched?.serve(ready);
  logIfNotPrepared(migrated, log);
  const close = async () => {
    await app.close();
    await callLimits.stop();
    closeStorage(storage);
    await pool.end();
    await tracing?.stop();
    internal?.stop();
  };
  await runUntilStopped({
    name: 'admin',
    log,
    close,
    drainSeconds: config.drainSeconds,
    info: { port, internal_port: internal?.port },
  });
} catch (error) {
  refuseToStart(error);
}

/**
 * At each start (ROLE-1). The application also starts, but is not ready, while its database is
 * away or lacks migrations; running those also synchronizes the permissions.
 */
async function synchronise(db: Database, migrated: ReadinessCheck, log: Log): Promise<void> {
  try {
    await migrated();
    const synchronised = await synchronisePermissions(db);
    if (Object.values(synchronised).flat().some(Boolean)) log.info(synchronised, 'permissions synchronised');
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !(error instanceof NotPreparedError)) throw error;
    log.warn({ err: error }, 'the permissions could not be synchronised');
  }
}
