import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { closeStorage, createStorage } from '@case-platform/modules/storage';
import { createBackup } from './backup/create-backup.ts';
import { COPY_WITHIN_MS, readFolder } from './backup/read-folder.ts';

/** `npm run backup -- --to FOLDER`: copies database and objects together, as they are at one moment (BACKUP-1). */
try {
  const folder = readFolder('to', 'npm run backup -- --to FOLDER');
  const config = loadConfigWithDatabase('backup');
  const url = config.migrationDatabaseUrl ?? config.databaseDirectUrl;
  const pool = createPool({ url, name: 'backup', max: 1, limitMs: COPY_WITHIN_MS });
  const storage = createStorage(config.s3);
  try {
    const { database, objects } = await createBackup({ pool, storage }, folder, new Date());
    const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
    const lost = objects.missing > 0 ? ` ${objects.missing} files of the database were not in the bucket.` : '';
    process.stdout.write(
      `${folder} contains ${database.tables.length} tables with ${rows} rows, and ${objects.count} files.${lost}\n`,
    );
  } finally {
    closeStorage(storage);
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}
