import { setTimeout as sleep } from 'node:timers/promises';
import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import type { Log } from '@case-platform/lib/log';
import { exitWithError } from '@case-platform/lib/process';
import { createReadiness, NotPreparedError, type ReadinessCheck } from '@case-platform/lib/process/readiness';
import { startProcess } from '@case-platform/lib/process/start-process';
import { addAudiences } from '@case-platform/modules/live';
import { createEmailProvider, createSmsProvider, showDeliveries } from '@case-platform/modules/notifications';
import { addBucketGauge, closeStorage, createStorage } from '@case-platform/modules/storage';
import { startWorker } from './run-worker.ts';

try {
  const config = loadConfigWithDatabase('worker');
  const parts = await startProcess('worker', config, { migrations: migrationNames(), completeEvents: addAudiences });
  const { log, pool, db, migrated, metrics, tracing } = parts;
  const { emailFrom: from, mailpitUrl, sendgrid, vapid, pushAllowedHosts: allowedHosts, production } = config;
  const storage = createStorage(config.s3);
  if (metrics !== undefined) {
    addBucketGauge(metrics, storage);
    showDeliveries(metrics);
  }
  let runner: Awaited<ReturnType<typeof startWorker>> | undefined;
  const takesJobs = async () => {
    if (runner?.takesJobs() !== true) throw new Error('the worker takes no jobs');
  };
  await parts.serveInternally(createReadiness([...parts.checks, takesJobs], log));
  await waitForMigrations(migrated, log);
  runner = await startWorker({
    pool,
    log,
    tracing,
    context: {
      db,
      storage,
      email: createEmailProvider({ from, mailpitUrl, sendgrid }),
      sms: createSmsProvider({ ...config.twilio, statusCallback: `${config.apiUrl}/webhooks/twilio` }),
      mailsPerHour: config.limits.mails,
      retention: config.retention,
      keepsContent: !production,
      push: { ...vapid, allowedHosts, production },
      internalApi: {
        url: config.apiInternalUrl,
        masterApiKey: config.masterApiKey,
        forwardingSecret: config.forwardingSecret,
      },
      webUrl: config.webUrl,
      apiUrl: config.apiUrl,
      adminUrl: config.adminUrl,
    },
  });
  const close = async () => {
    await runner?.stop();
    closeStorage(storage);
  };
  await parts.run({ close });
} catch (error) {
  exitWithError(error);
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
