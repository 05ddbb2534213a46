import type { Schema } from '@case-platform/db';
import { grantToApplication } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool, isDatabaseUnavailable } from '@case-platform/lib/database';
import { createLog } from '@case-platform/lib/log';
import { refuseToStart } from '@case-platform/lib/process';
import { synchronisePermissions } from '@case-platform/modules/permissions';
import { createStorage } from '@case-platform/modules/storage';
import { seedDemo } from './demo/seed-demo.ts';

/** Run before the layers start: checks the configuration, migrates, synchronises the permissions, seeds the demo. */
try {
  const config = loadConfigWithDatabase();
  const log = createLog('prepare', config.logLevel);
  const owner = config.migrationDatabaseUrl ?? config.databaseUrl;
  const pool = createPool({ url: owner, name: 'prepare', max: 4 });
  try {
    const applied = await migrate(pool);
    if (applied.length > 0) log.info({ applied }, 'migrated');
    if (owner !== config.databaseUrl) await grantToApplication(pool, config.databaseUrl);
    const db = createDatabase<Schema>(pool);
    const synchronised = await synchronisePermissions(db);
    if (Object.values(synchronised).flat().some(Boolean)) log.info(synchronised, 'permissions synchronised');
    const wanted = !config.production && !process.argv.includes('--no-demo');
    if (wanted && (await seedDemo(db, createStorage(config.s3), config.encryptionKey))) log.info('demo data seeded');
    const known = await db
      .selectFrom('user_account')
      .select('id')
      .where('email_address', '=', 'root@demo.test')
      .execute();
    log.info({ demo: !config.production && known.length > 0 }, 'prepared');
  } catch (error) {
    throw asDatabaseError(error);
  } finally {
    await pool.end();
  }
} catch (error) {
  refuseToStart(error);
}

/** One line that names the setting, without the address and its password. */
function asDatabaseError(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const refused = isDatabaseUnavailable(error) || /^(28|3D)/.test(code ?? '') || code === 'ERR_INVALID_URL';
  return refused ? new Error(`DATABASE_URL cannot be used: ${code ?? message}.`) : error;
}
