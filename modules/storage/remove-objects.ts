import type { Database } from '@case-platform/lib/database';
import { isBackupUnderWay } from '@case-platform/lib/database/backup-lock';
import { enqueue } from '@case-platform/lib/jobs';
import { deleteObjects } from './objects.ts';
import type { Storage } from './storage.ts';

const LATER_MS = 60_000;

/** Removes objects that no row names. During a backup, which may have read those rows, it waits (BACKUP-1). */
export async function removeObjects(
  { db, storage }: { db: Database; storage: Storage },
  { keys }: { keys: string[] },
  now: Date,
): Promise<void> {
  if (await isBackupUnderWay(db)) {
    await enqueue(db, 'delete_objects', { keys }, { runAt: new Date(now.getTime() + LATER_MS) });
  } else await deleteObjects(storage, keys);
}
