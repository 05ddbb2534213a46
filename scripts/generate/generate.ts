import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { formatRoutes } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { createCallLimits, createThrottle, createTokenKeys } from '@case-platform/modules/accounts';
import { LiveUpdates } from '@case-platform/modules/live';
import { createStorage } from '@case-platform/modules/storage';
import stringify from 'json-stringify-pretty-compact';
import { createAdminServer } from '../../apps/admin/server.ts';
import { createApiServer } from '../../apps/api/server.ts';
import { dumpSchema } from '../../db/dump-schema.ts';
import { describeForwardedPaths } from './describe-forwarded-paths.ts';
import { describeNotifications } from './describe-notifications.ts';
import { describeRequestStates } from './describe-request-states.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const ADMIN_CONFIG = {
  production: false,
  offersDemoPeople: false,
  adminUrl: 'http://localhost:4001',
  webUrl: 'http://localhost:3000',
  sessionIdleTtl: 1,
  strictPageGuard: false,
  trustProxy: undefined,
};

/**
 * Makes everything that is made from something else, from an empty or migrated database: path in the repository -> text.
 * `npm run generate` writes it; a test compares it with what is committed.
 */
export async function generate(databaseUrl: string): Promise<Map<string, string>> {
  const pool = createPool({ url: databaseUrl, name: 'generate', max: 2 });
  await migrate(pool);
  const db = createDatabase(pool);
  const log = createLog('generate', 'silent');
  const storage = createStorage({
    endpoint: 'http://localhost',
    region: 'x',
    bucket: 'x',
    accessKeyId: 'x',
    secretAccessKey: 'x',
    forcePathStyle: true,
  });
  const shared = {
    db,
    storage,
    live: new LiveUpdates({ db, storage, url: databaseUrl, log }),
    throttle: createThrottle(pool),
    callLimits: createCallLimits({
      pool,
      log,
      limits: { calls_address: 1, calls_person: 1, messages: 1 },
      now: () => new Date(),
    }),
    ready: async () => {},
    encryptionKey: '',
    now: () => new Date(),
    log,
  };
  const api = await createApiServer({
    ...shared,
    tokenKeys: createTokenKeys({ secret: 'not used', accessTokenTtl: 1, refreshTokenTtl: 1 }),
    masterApiKey: '',
    webUrl: '',
    origins: [],
    push: { publicKey: '', privateKey: '', subject: '', allowedHosts: [], production: false },
    reportKeys: { apiUrl: 'http://localhost:4000' },
  });
  const admin = await createAdminServer({ ...shared, config: ADMIN_CONFIG });
  await api.ready();
  const made = new Map([
    ['db/schema.sql', await dumpSchema(pool)],
    ['apps/api/openapi.json', `${stringify(api.swagger(), { maxLength: 130 })}\n`],
    ['apps/api/routes.txt', formatRoutes(api)],
    ['apps/admin/routes.txt', formatRoutes(admin)],
    ['docs/notifications.md', describeNotifications()],
    ['docs/request-states.md', describeRequestStates()],
    ['apps/web/server/forwarded-paths.ts', describeForwardedPaths(api.swagger())],
  ]);
  await api.close();
  await admin.close();
  await pool.end();
  return made;
}

if (import.meta.main) {
  for (const [path, text] of await generate(process.env.DATABASE_URL ?? '')) writeFileSync(join(root, path), text);
}
