import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasMigrationsOf, isEmptyDatabase, loadDatabase } from '@case-platform/db/backup/load-database';
import { type HashedFile, hashFile } from '@case-platform/lib/hashed-file';
import { createMissingBucket, findObject, isEmptyBucket, putObject, type Storage } from '@case-platform/modules/storage';
import type pg from 'pg';
import { type Backup, contentPath, DATABASE_FOLDER, type ListedObject, OBJECTS_FILE, readBackup } from './backup-file.ts';

const AT_ONCE = 8;

/**
 * Restores a backup into an empty database and an empty bucket (BACKUP-2). All its files are verified before anything is written.
 * The objects are restored first and the rows last, in one transaction, so that no row names a missing object.
 * @throws when a target is not empty, or the backup is damaged or of another version.
 */
export async function restoreBackup({ pool, storage }: { pool: pg.Pool; storage: Storage }, folder: string): Promise<Backup> {
  const backup = readBackup(folder);
  if (!hasMigrationsOf(backup.database))
    throw new Error(`The backup in ${folder} was made by another version of the platform. Restore it with that version.`);
  if (!(await isEmptyDatabase(pool)))
    throw new Error('The database is not empty. A backup can only be restored into an empty one.');
  await createMissingBucket(storage);
  if (!(await isEmptyBucket(storage)))
    throw new Error('The bucket is not empty. A backup can only be restored into an empty one.');
  await requireFiles(backup, folder);
  await eachObject(folder, (object) => putBack(storage, object, folder));
  await loadDatabase(pool, backup.database, join(folder, DATABASE_FOLDER));
  return backup;
}

async function requireFiles({ database, objects }: Backup, folder: string): Promise<void> {
  for (const table of database.tables) await requireFile(join(folder, DATABASE_FOLDER, table.file), table);
  await requireFile(join(folder, OBJECTS_FILE), objects);
  await eachObject(folder, (object) => requireFile(contentPath(folder, object.sha256), object));
}

async function requireFile(path: string, listed: HashedFile): Promise<void> {
  const actual = await hashFile(path).catch(() => null);
  if (actual?.sha256 !== listed.sha256 || actual.size !== listed.size)
    throw new Error(`The backup is damaged: ${path} was changed or lost. Nothing was restored.`);
}

async function putBack(storage: Storage, object: ListedObject, folder: string): Promise<void> {
  const { key, size, content_type: contentType } = object;
  const body = createReadStream(contentPath(folder, object.sha256));
  await putObject(storage, { key, body, size, contentType });
  if ((await findObject(storage, key))?.size !== size) throw new Error(`The storage did not store all of ${key}.`);
}

/** Works on several objects at the same time. */
async function eachObject(folder: string, work: (object: ListedObject) => Promise<void>): Promise<void> {
  const list = await open(join(folder, OBJECTS_FILE));
  const lines = list.readLines()[Symbol.asyncIterator]();
  const workOffRest = async () => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) await work(JSON.parse(line.value));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOffRest));
}
