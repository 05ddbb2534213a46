import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@case-platform/db/migrate';
import { createPool } from '@case-platform/lib/database';
import { formatRoutes } from '@case-platform/lib/http-server';
import { createAdminServer } from '../../apps/admin/server.ts';
import { dumpSchema } from '../../db/dump-schema.ts';
import { describeApi, unconnected } from './api-description.ts';
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
  const { description, routes } = await describeApi();
  const admin = await createAdminServer({ ...unconnected(), config: ADMIN_CONFIG });
  const made = new Map([
    ['db/schema.sql', await dumpSchema(pool)],
    ['apps/api/routes.txt', routes],
    ['apps/admin/routes.txt', formatRoutes(admin)],
    ['docs/notifications.md', describeNotifications()],
    ['docs/request-states.md', describeRequestStates()],
    ['apps/web/server/forwarded-paths.ts', describeForwardedPaths(description)],
  ]);
  await admin.close();
  await pool.end();
  return made;
}

if (import.meta.main) {
  for (const [path, text] of await generate(process.env.DATABASE_URL ?? '')) writeFileSync(join(root, path), text);
}
