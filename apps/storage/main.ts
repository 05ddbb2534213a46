import { join } from 'node:path';
import { loadConfig } from '@case-platform/lib/config';
import { listen } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { exitWithError, runUntilStopped } from '@case-platform/lib/process';
import { createStorageServer } from './server.ts';

if (process.env.NODE_ENV === 'production') {
  exitWithError('The development object storage does not run with NODE_ENV=production: set S3_ENDPOINT to a real one.');
}

try {
  const config = loadConfig('storage');
  const log = createLog('storage', config.logLevel);
  const app = await createStorageServer({
    log,
    folder: join(config.dataDir, 'storage'),
    bucket: config.s3.bucket,
    credentials: config.s3,
    now: () => new Date(),
    origins: [config.webUrl, config.adminUrl].map((url) => new URL(url).origin),
  });
  const port = await listen(app, config.host, config.storagePort).catch((error: NodeJS.ErrnoException) =>
    exitWithError(`STORAGE_PORT ${config.storagePort} on ${config.host} cannot be used (${error.code ?? 'unknown reason'}).`),
  );
  await runUntilStopped({ name: 'storage', log, info: { port }, close: () => app.close() });
} catch (error) {
  exitWithError(error);
}
