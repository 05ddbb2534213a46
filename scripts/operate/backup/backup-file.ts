import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseDump } from '@case-platform/db/backup/dump-database';
import type { HashedFile } from '@case-platform/lib/hashed-file';

/** The contents of a backup. This file is written last, so a folder without it is not a finished backup. */
export interface Backup {
  format: 1;
  /** The moment of the backup, in ISO 8601. */
  made_at: string;
  database: DatabaseDump;
  objects: HashedFile & { count: number; bytes: number; missing: number };
}

export interface ListedObject extends HashedFile {
  key: string;
  content_type: string;
}

export const BACKUP_FILE = 'backup.json';
export const DATABASE_FOLDER = 'database';
const OBJECTS_FOLDER = 'objects';
export const OBJECTS_FILE = 'objects.jsonl';

/** The path of an object's content. Objects with the same content share one file. */
export function contentPath(folder: string, sha256: string): string {
  return join(folder, OBJECTS_FOLDER, sha256.slice(0, 2), sha256);
}

/** @throws when the folder has no finished backup, or one of a newer version. */
export function readBackup(folder: string): Backup {
  let backup: Backup;
  try {
    backup = JSON.parse(readFileSync(join(folder, BACKUP_FILE), 'utf8'));
  } catch {
    throw new Error(`${folder} has no finished backup.`);
  }
  if (backup.format !== 1) throw new Error(`The backup in ${folder} was made by a newer version of the platform.`);
  return backup;
}
