import type { Schema } from '@case-platform/db';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { createLog } from '@case-platform/lib/log';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { createEmailProvider, createSmsProvider } from '@case-platform/modules/notifications';
import { closeStorage, createStorage } from '@case-platform/modules/storage';
import { startWorker } from './run-worker.ts';

try {
  const config = loadConfigWithDatabase();
  const log = createLog('worker', config.logLevel);
  const pool = createPool({
    url: config.databaseUrl,
    name: 'worker',
    max: 25,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const { emailFrom: from, mailpitUrl, sendgrid, vapid, pushAllowedHosts: allowedHosts, production } = config;
  const storage = createStorage(config.s3);
  const runner = await startWorker({
    pool,
    log,
    context: {
      db: createDatabase<Schema>(pool),
      storage,
      email: createEmailProvider({ from, mailpitUrl, sendgrid }),
      sms: createSmsProvider({ ...config.twilio, statusCallback: `${config.apiUrl}/webhooks/twilio` }),
      keepsContent: !production,
      push: { ...vapid, allowedHosts, production },
      webUrl: config.webUrl,
      adminUrl: config.adminUrl,
    },
  });
  let stopping = false;
  const close = async () => {
    stopping = true;
    await runner.stop();
    closeStorage(storage);
    await pool.end();
  };
  // A runner that ends by itself has lost its database for good: end too, and be started again.
  const ended = (err?: unknown) => {
    if (stopping) return;
    log.fatal({ err }, 'the worker stopped by itself');
    process.exit(1);
  };
  runner.promise.then(() => ended(), ended);
  await runUntilStopped({ name: 'worker', log, close });
} catch (error) {
  refuseToStart(error);
}
