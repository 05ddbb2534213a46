import { setTimeout as sleep } from 'node:timers/promises';
import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { refuseWrongRoute } from '@case-platform/lib/database/database-route';
import { POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import { databaseIsReady, migrationsAreApplied, queueIsReady } from '@case-platform/lib/database/readiness';
import { createLog, type Log } from '@case-platform/lib/log';
import { showDatabase } from '@case-platform/lib/metrics/database-metrics';
import { watchProcess } from '@case-platform/lib/metrics/watch-process';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { createReadiness, NotPreparedError, type ReadinessCheck } from '@case-platform/lib/readiness';
import { traceProcess } from '@case-platform/lib/tracing/trace-process';
import { createEmailProvider, createSmsProvider, showDeliveries } from '@case-platform/modules/notifications';
import { closeStorage, createStorage, showBucket } from '@case-platform/modules/storage';
import { startWorker } from './run-worker.ts';

try {
  const config = loadConfigWithDatabase('worker');
  const log = createLog('worker', config.logLevel);
  await refuseWrongRoute(config);
  const pool = createPool({
    // The queue uses LISTEN, which a pooler does not support, and a worker has few connections anyway.
    url: config.databaseDirectUrl,
    name: 'worker',
    max: POOL_SIZES.worker,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const { emailFrom: from, mailpitUrl, sendgrid, vapid, pushAllowedHosts: allowedHosts, production } = config;
  const storage = createStorage(config.s3);
  const watched = await watchProcess('worker', config);
  const tracing = await traceProcess('worker', config, log);
  if (watched !== null) {
    showDatabase(watched.metrics, pool);
    showBucket(watched.metrics, storage);
    showDeliveries(watched.metrics);
  }
  const migrated = migrationsAreApplied(pool, migrationNames());
  let runner: Awaited<ReturnType<typeof startWorker>> | undefined;
  const takesJobs = async () => {
    if (runner?.takesJobs() !== true) throw new Error('the worker takes no jobs');
  };
  const checks = [databaseIsReady(pool), migrated, queueIsReady(pool), takesJobs];
  const internal = await watched?.serve(createReadiness(checks, log));
  await waitForMigrations(migrated, log);
  runner = await startWorker({
    pool,
    log,
    tracing,
    context: {
      db: createDatabase(pool),
      storage,
      email: createEmailProvider({ from, mailpitUrl, sendgrid }),
      sms: createSmsProvider({ ...config.twilio, statusCallback: `${config.apiUrl}/webhooks/twilio` }),
      mailsPerHour: config.limits.mails,
      keptDays: config.keptDays,
      keepsContent: !production,
      push: { ...vapid, allowedHosts, production },
      webUrl: config.webUrl,
      apiUrl: config.apiUrl,
      adminUrl: config.adminUrl,
    },
  });
  const close = async () => {
    await runner?.stop();
    closeStorage(storage);
    await pool.end();
    await tracing?.stop();
    internal?.stop();
  };
  await runUntilStopped({ name: 'worker', log, close, info: { internal_port: internal?.port } });
} catch (error) {
  refuseToStart(error);
}

/** A job that runs before this version's migrations would fail and use up its attempts. */
async function waitForMigrations(migrated: ReadinessCheck, log: Log): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return void (await migrated());
    } catch (err) {
      // While the database is away, keepRunning waits for it.
      if (!(err instanceof NotPreparedError)) return;
      if (attempt === 1) log.warn({ err }, 'no jobs are taken until the migrations have run');
      await sleep(1000);
    }
  }
}
