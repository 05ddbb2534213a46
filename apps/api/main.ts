import { migrationNames } from '@case-platform/db/migration-files';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { untilPassed } from '@case-platform/lib/database/readiness-checks';
import { listen } from '@case-platform/lib/http-server';
import { exitWithError } from '@case-platform/lib/process';
import { createReadiness, logIfNotPrepared } from '@case-platform/lib/process/readiness';
import { startProcess } from '@case-platform/lib/process/start-process';
import { createCallLimits, createThrottle, createTokenKeys } from '@case-platform/modules/accounts';
import { addAudiences, addLiveGauges, LiveUpdates } from '@case-platform/modules/live';
import { addBucketGauge, closeStorage, createStorage, requireBucket } from '@case-platform/modules/storage';
import { createApiServer } from './server.ts';

try {
  const config = loadConfigWithDatabase('api');
  const parts = await startProcess('api', config, { migrations: migrationNames(), completeEvents: addAudiences });
  const { log, pool, db, redis, readLagging, migrated, metrics, tracing } = parts;
  const storage = createStorage(config.s3);
  const live = new LiveUpdates({ db, storage, url: config.databaseDirectUrl, redis, log });
  live.start();
  const ready = createReadiness([...parts.checks, () => requireBucket(storage)], log);
  if (metrics !== undefined) {
    addBucketGauge(metrics, storage);
    addLiveGauges(metrics, live);
  }
  const callLimits = createCallLimits({ pool, redis, log, limits: config.limits, now: () => new Date() });
  const app = await createApiServer({
    callLimits,
    db,
    readLagging,
    storage,
    live,
    ready,
    requirePrepared: untilPassed(migrated),
    observeRequest: metrics?.observeRequest,
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
