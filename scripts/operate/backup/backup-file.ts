import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseDump } from '@case-platform/db/backup/dump-database';
import type { HashedFile } from '@case-platform/lib/hashed-file';

/** What a backup is made of. The file that says so is written last: a folder without it is no backup. */
export interface Backup {
  format: 1;
  /** ISO 8601: the moment that it shows. */
  made_at: string;
  database: DatabaseDump;
  objects: HashedFile & { count: number; bytes: number; missing: number };
}

/** A line of the list of objects. */
export interface ListedObject extends HashedFile {
  key: string;
  content_type: string;
}

export const BACKUP_FILE = 'backup.json';
export const DATABASE_FOLDER = 'database';
const OBJECTS_FOLDER = 'objects';
export const OBJECTS_FILE = 'objects.jsonl';

/** Where an object's content lies: what two objects share lies there once. */
export function contentPath(folder: string, sha256: string): string {
  return join(folder, OBJECTS_FOLDER, sha256.slice(0, 2), sha256);
}

/** @throws when the folder holds no backup, or one that was made by a newer version. */
export function readBackup(folder: string): Backup {
  let backup: Backup;
  try {
    backup = JSON.parse(readFileSync(join(folder, BACKUP_FILE), 'utf8'));
  } catch {
    throw new Error(`${folder} holds no backup that was finished.`);
  }
  if (backup.format !== 1) throw new Error(`The backup in ${folder} was made by a newer version of the platform.`);
  return backup;
}
