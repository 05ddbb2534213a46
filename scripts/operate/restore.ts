import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { closeStorage, createStorage } from '@case-platform/modules/storage';
import { COPY_WITHIN_MS, readFolder } from './backup/read-folder.ts';
import { restoreBackup } from './backup/restore-backup.ts';

/** `npm run restore -- --from FOLDER`: restores a backup into an empty database and an empty bucket (BACKUP-2). */
try {
  const folder = readFolder('from', 'npm run restore -- --from FOLDER');
  const config = loadConfigWithDatabase('restore');
  const url = config.migrationDatabaseUrl ?? config.databaseDirectUrl;
  const pool = createPool({ url, name: 'restore', max: 3, limitMs: COPY_WITHIN_MS });
  const storage = createStorage(config.s3);
  try {
    const { made_at, database, objects } = await restoreBackup({ pool, storage }, folder);
    const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
    process.stdout.write(
      `Restored as it was at ${made_at}: ${database.tables.length} tables with ${rows} rows, and ${objects.count} files.\n` +
        'Run `node scripts/start/prepare.ts` before anything starts.\n',
    );
  } finally {
    closeStorage(storage);
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}
