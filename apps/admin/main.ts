import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { type Database, isDatabaseUnavailable } from '@case-platform/lib/database';
import { untilPassed } from '@case-platform/lib/database/readiness-checks';
import { listen } from '@case-platform/lib/http-server';
import type { Log } from '@case-platform/lib/log';
import { exitWithError } from '@case-platform/lib/process';
import { createReadiness, logIfNotPrepared, NotPreparedError, type ReadinessCheck } from '@case-platform/lib/process/readiness';
import { startProcess } from '@case-platform/lib/process/start-process';
import { createCallLimits, createThrottle, syncPermissions } from '@case-platform/modules/accounts';
import { addAudiences, addLiveGauges, LiveUpdates } from '@case-platform/modules/live';
import { addBucketGauge, closeStorage, createStorage, requireBucket } from '@case-platform/modules/storage';
import { createAdminServer } from './server.ts';

try {
  const config = loadConfigWithDatabase('admin');
  const parts = await startProcess('admin', config, { migrations: migrationNames(), completeEvents: addAudiences });
  const { log, pool, db, redis, readLagging, migrated, metrics, tracing } = parts;
  const storage = createStorage(config.s3);
  const throttle = createThrottle(pool, config.limits);
  const callLimits = createCallLimits({ pool, redis, log, limits: config.limits, now: () => new Date() });
  const live = new LiveUpdates({ db, storage, url: config.databaseDirectUrl, redis, log });
  live.start();
  await syncPermissionsAtStart(db, migrated, log);
  const ready = createReadiness([...parts.checks, () => requireBucket(storage)], log);
  if (metrics !== undefined) {
    addBucketGauge(metrics, storage);
    addLiveGauges(metrics, live);
  }
  const app = await createAdminServer({
    config,
    db,
    readLagging,
    storage,
    live,
    ready,
    requirePrepared: untilPassed(migrated),
    observeRequest: metrics?.observeRequest,
    logsEachRequest: config.accessLog,
    tracing,
    throttle,
    callLimits,
    encryptionKey: config.encryptionKeys,
    log,
    now: () => new Date(),
  });
  const port = await listen(app, config.host, config.adminPort);
  await parts.serveInternally(ready);
  logIfNotPrepared(migrated, log);
  const close = async () => {
    await app.close();
    await callLimits.stop();
    closeStorage(storage);
  };
  await parts.run({ close, drainSeconds: config.drainSeconds, info: { port } });
} catch (error) {
  exitWithError(error);
}

/**
 * At each start (ROLE-1). The application also starts, but is not ready, while its database is
 * away or lacks migrations; running those also synchronizes the permissions.
 */
async function syncPermissionsAtStart(db: Database, migrated: ReadinessCheck, log: Log): Promise<void> {
  try {
    await migrated();
    const changes = await syncPermissions(db);
    if (Object.values(changes).flat().some(Boolean)) log.info(changes, 'permissions synchronized');
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !(error instanceof NotPreparedError)) throw error;
    log.warn({ err: error }, 'the permissions could not be synchronized');
  }
}
