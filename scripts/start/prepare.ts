import { grantToRoles, setRoleDefaults } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { type Config, loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool, type Database, isDatabaseUnavailable } from '@case-platform/lib/database';
import { requireDirectOwner } from '@case-platform/lib/database/database-route';
import { createLog } from '@case-platform/lib/log';
import { exitWithError } from '@case-platform/lib/process';
import { query, sql } from '@case-platform/lib/sql';
import { syncPermissions } from '@case-platform/modules/accounts';
import type { ProcessName } from '../../lib/config/settings-of-processes.mjs';

/** A statement of a migration may rewrite a large table. */
const MIGRATE_WITHIN_MS = 6 * 3_600_000;

/** Runs before the layers start: checks the configuration, migrates, synchronizes the permissions, and seeds the demo. */
try {
  // `npm start` passes the names of its layers, so that all of their settings are checked together.
  const together =
    process.argv
      .find((word) => word.startsWith('--for='))
      ?.slice('--for='.length)
      .split(',') ?? [];
  const config = loadConfigWithDatabase(['prepare', ...(together as ProcessName[])]);
  const log = createLog('prepare', config.logLevel);
  await requireDirectOwner(config);
  const owner = config.migrationDatabaseUrl ?? config.databaseDirectUrl;
  const pool = createPool({ url: owner, name: 'prepare', max: 4, limitMs: MIGRATE_WITHIN_MS });
  try {
    const applied = await migrate(pool);
    if (applied.length > 0) log.info({ applied }, 'migrated');
    const everything = config.migrationDatabaseUrl === undefined ? undefined : config.databaseDirectUrl;
    await grantToRoles(pool, { everything, ...config.roleUrls });
    for (const url of [config.databaseDirectUrl, ...Object.values(config.roleUrls)])
      if (url !== undefined) await setRoleDefaults(pool, url);
    const db = createDatabase(pool);
    const changes = await syncPermissions(db);
    if (Object.values(changes).flat().some(Boolean)) log.info(changes, 'permissions synchronized');
    const wanted = !config.production && !process.argv.includes('--no-demo');
    if (wanted && (await isWithoutAccounts(db)) && (await fillWithDemo(db, config))) log.info('demo data seeded');
    const demoAdmins = await query(db, sql`select from user_account where email_address = 'root@demo.test'`);
    log.info({ demo: !config.production && demoAdmins.length > 0 }, 'prepared');
  } catch (error) {
    throw asDatabaseError(error);
  } finally {
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}

async function isWithoutAccounts(db: Database): Promise<boolean> {
  return (await query(db, sql`select from user_account limit 1`)).length === 0;
}

/** Loads the code of the demo only here, because most starts find accounts and production never has a demo. */
async function fillWithDemo(db: Database, { s3, encryptionKey }: Config): Promise<boolean> {
  const [{ seedDemo }, { createStorage }] = await Promise.all([
    import('../demo/seed-demo.ts'),
    import('@case-platform/modules/storage'),
  ]);
  return seedDemo(db, createStorage(s3), encryptionKey);
}

/** Returns an error of one line that names the setting, without the address and its password. */
function asDatabaseError(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const refused = isDatabaseUnavailable(error) || /^(28|3D)/.test(code ?? '');
  return refused ? new Error(`DATABASE_URL cannot be used: ${code ?? message}.`) : error;
}
