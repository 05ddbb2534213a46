import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { refuseWrongRoute } from '@case-platform/lib/database/database-route';
import { POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import {
  databaseIsReady,
  migrationsAreApplied,
  queueIsReady,
  untilPassed,
} from '@case-platform/lib/database/readiness';
import { listen } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { showDatabase } from '@case-platform/lib/metrics/database-metrics';
import { watchProcess } from '@case-platform/lib/metrics/watch-process';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { createReadiness, logIfNotPrepared } from '@case-platform/lib/readiness';
import { traceProcess } from '@case-platform/lib/tracing/trace-process';
import { createCallLimits, createThrottle, createTokenKeys } from '@case-platform/modules/accounts';
import { LiveUpdates, showLive } from '@case-platform/modules/live';
import { checkBucket, closeStorage, createStorage, showBucket } from '@case-platform/modules/storage';
import { createApiServer } from './server.ts';

try {
  const config = loadConfigWithDatabase('api');
  const log = createLog('api', config.logLevel);
  await refuseWrongRoute(config);
  const pool = createPool({
    url: config.databaseUrl,
    hasSession: !config.isPooled,
    name: 'api',
    max: POOL_SIZES.api,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const storage = createStorage(config.s3);
  const db = createDatabase(pool);
  const live = new LiveUpdates({ db, storage, url: config.databaseDirectUrl, log });
  live.start();
  const migrated = migrationsAreApplied(pool, migrationNames());
  const checks = [databaseIsReady(pool), migrated, queueIsReady(pool), () => checkBucket(storage)];
  const ready = createReadiness(checks, log);
  const watched = await watchProcess('api', config);
  const tracing = await traceProcess('api', config, log);
  if (watched !== null) {
    showDatabase(watched.metrics, pool);
    showBucket(watched.metrics, storage);
    showLive(watched.metrics, live);
  }
  const callLimits = createCallLimits({ pool, log, limits: config.limits });
  const app = await createApiServer({
    callLimits,
    db,
    storage,
    live,
    ready,
    requirePrepared: untilPassed(migrated),
    observeRequest: watched?.metrics.observeRequest,
    logsEachRequest: config.accessLog,
    tracing,
    throttle: createThrottle(pool, config.limits),
    tokenKeys: createTokenKeys({
      secret: config.jwtSecret,
      previousSecret: config.jwtSecretPrevious,
      accessTokenTtl: config.accessTokenTtl,
      refreshTokenTtl: config.refreshTokenTtl,
    }),
    encryptionKey: config.encryptionKeys,
    masterApiKey: config.masterApiKey,
    masterApiKeyPrevious: config.masterApiKeyPrevious,
    webUrl: config.webUrl,
    origins: [config.webUrl, config.adminUrl].map((url) => new URL(url).origin),
    push: { ...config.vapid, allowedHosts: config.pushAllowedHosts, production: config.production },
    reportKeys: {
      sendgridPublicKey: config.sendgrid.webhookPublicKey,
      twilioAuthToken: config.twilio.authToken,
      apiUrl: config.apiUrl,
    },
    log,
    trustProxy: config.trustProxy,
    forwardingSecret: config.forwardingSecret,
    now: () => new Date(),
  });
  const port = await listen(app, config.host, config.apiPort);
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
    name: 'api',
    log,
    close,
    drainSeconds: config.drainSeconds,
    info: { port, internal_port: internal?.port },
  });
} catch (error) {
  refuseToStart(error);
}
