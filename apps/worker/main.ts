import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { refuseWrongRoute } from '@case-platform/lib/database/database-route';
import { createLog } from '@case-platform/lib/log';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { createEmailProvider, createSmsProvider } from '@case-platform/modules/notifications';
import { closeStorage, createStorage } from '@case-platform/modules/storage';
import { startWorker } from './run-worker.ts';

try {
  const config = loadConfigWithDatabase('worker');
  const log = createLog('worker', config.logLevel);
  await refuseWrongRoute(config);
  const pool = createPool({
    // The queue listens, and a worker has few connections: it needs no pooler.
    url: config.databaseDirectUrl,
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
      db: createDatabase(pool),
      storage,
      email: createEmailProvider({ from, mailpitUrl, sendgrid }),
      sms: createSmsProvider({ ...config.twilio, statusCallback: `${config.apiUrl}/webhooks/twilio` }),
      mailsPerHour: config.limits.mails,
      keepsContent: !production,
      push: { ...vapid, allowedHosts, production },
      webUrl: config.webUrl,
      apiUrl: config.apiUrl,
      adminUrl: config.adminUrl,
    },
  });
  const close = async () => {
    await runner.stop();
    closeStorage(storage);
    await pool.end();
  };
  await runUntilStopped({ name: 'worker', log, close });
} catch (error) {
  refuseToStart(error);
}
