import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql, unionOf } from '@case-platform/lib/sql';

/** Every table that keeps a storage key. A new table of files has to be added here, or its objects are swept (UPLOAD-9). */
const TABLES = [sql`message_file`, sql`case_document`, sql`disbursement_file`, sql`user_file`, sql`picture_rendition`];

/** Returns those of these keys that a row names. */
export async function findReferencedKeys(db: Executor, keys: readonly string[]): Promise<Set<string>> {
  const keysIn = (table: Sql) => sql`select storage_key as k from ${table} where storage_key = any(${keys})`;
  const rows = await query<{ k: string }>(db, unionOf(TABLES.map(keysIn)));
  return new Set(rows.map(({ k }) => k));
}

/** Every key that a row names. */
export async function listReferencedKeys(db: Executor): Promise<string[]> {
  const rows = await query<{ k: string }>(db, unionOf(TABLES.map((table) => sql`select storage_key as k from ${table}`)));
  return rows.map(({ k }) => k);
}
