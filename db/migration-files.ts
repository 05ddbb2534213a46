import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./migrations/', import.meta.url);

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The migrations of this version, in the order in which they run. */
export function migrationFiles(): Migration[] {
  return migrationNames().map((name) => {
    const sql = readFileSync(new URL(name, FOLDER), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** The file names of the migrations, in the order in which they run. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort();
}
