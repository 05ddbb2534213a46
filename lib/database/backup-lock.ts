import type { Executor } from '../database.ts';
import { query, sql } from '../sql.ts';

/** Held by whoever takes a backup, on its own connection, from before its snapshot until it has copied the objects. */
export const BACKUP_LOCK = 7_214_010_031;

/**
 * Whether a backup is under way that may still need objects that no row names any more. Who removes objects asks this first.
 * A backup that begins after the answer reads a snapshot in which those rows are gone already.
 */
export async function isBackupUnderWay(db: Executor): Promise<boolean> {
  const [lock] = await query<{ free: boolean }>(
    db,
    sql`select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as free`,
  );
  return lock?.free !== true;
}
