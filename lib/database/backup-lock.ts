import type { Executor } from '../database.ts';
import { query, sql } from '../sql.ts';

/** Held by a backup, on its own connection, from before its snapshot until it has copied the objects (BACKUP-1). */
export const BACKUP_LOCK = 7_214_010_031;

/**
 * True while a backup is under way that may still need objects that no row refers to anymore. Check this before removing objects.
 * A backup that begins after the answer reads a snapshot in which those rows are already gone.
 */
export async function isBackupUnderWay(db: Executor): Promise<boolean> {
  const [lock] = await query<{ free: boolean }>(db, sql`select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as free`);
  return lock?.free !== true;
}
