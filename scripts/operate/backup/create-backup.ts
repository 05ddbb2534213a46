import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { dumpDatabase } from '@case-platform/db/backup/dump-database';
import { readSnapshot } from '@case-platform/db/backup/read-snapshot';
import { listReferencedKeys, type Storage } from '@case-platform/modules/storage';
import type pg from 'pg';
import { BACKUP_FILE, type Backup, DATABASE_FOLDER } from './backup-file.ts';
import { copyObjects } from './copy-objects.ts';

/**
 * Writes the database and every object that its rows name into a new folder (BACKUP-1). The folder gets its name when it is
 * complete. An interrupted backup leaves `FOLDER.unfinished`, which the next one replaces.
 * @throws when the folder is not empty, or another backup is running.
 */
export async function createBackup(
  { pool, storage }: { pool: pg.Pool; storage: Storage },
  to: string,
  now: Date,
): Promise<Backup> {
  const folder = resolve(to);
  await requireUnusedFolder(folder, to);
  const draft = `${folder}.unfinished`;
  const backup = await readSnapshot(pool, async (snapshot) => {
    await rm(draft, { recursive: true, force: true });
    await mkdir(join(draft, DATABASE_FOLDER), { recursive: true, mode: 0o700 });
    const database = await dumpDatabase(snapshot.client, join(draft, DATABASE_FOLDER));
    const keys = await listReferencedKeys(snapshot.client);
    await snapshot.end();
    const objects = await copyObjects(storage, keys, draft);
    await snapshot.requireLock();
    return { format: 1 as const, made_at: now.toISOString(), database, objects };
  });
  await writeFile(join(draft, BACKUP_FILE), `${JSON.stringify(backup, null, 2)}\n`, { mode: 0o600, flush: true });
  await syncFolder(draft);
  await rename(draft, folder);
  await syncFolder(dirname(folder));
  return backup;
}

/** An empty folder may exist, such as a mounted volume. It is replaced. */
async function requireUnusedFolder(folder: string, to: string): Promise<void> {
  const inside = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (inside.length > 0) throw new Error(`${to} is not empty. A backup needs a folder of its own.`);
}

/** Makes sure that the names in the folder survive a crash of the machine. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
