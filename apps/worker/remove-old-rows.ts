import type { Retention } from '@case-platform/lib/config/read-retention';
import type { Database } from '@case-platform/lib/database';
import { createMonths, type OldRows, removeOldRowsOf } from '@case-platform/lib/database/old-rows';
import { OLD_KEYS } from '@case-platform/lib/idempotency';
import { enqueue } from '@case-platform/lib/jobs';
import { OLD_ACCOUNT_ROWS } from '@case-platform/modules/accounts';
import { OLD_NOTIFICATION_ROWS } from '@case-platform/modules/notifications';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Scheduled; graphile-worker adds its own fields to the payload. */
    remove_old_rows: Record<string, unknown>;
  }
}

/** Every table whose old rows are deleted (RETAIN-1; docs/operations.md, "What is removed by itself"). */
export const OLD_ROWS: readonly OldRows[] = [OLD_KEYS, ...OLD_ACCOUNT_ROWS, ...OLD_NOTIFICATION_ROWS];

/**
 * Creates the partitions of the coming months, and deletes expired rows, whole months at once and others a few hundred at a time.
 * Queues another job when there are more. It fails, and is tried again, if a partition's lock is not free at once.
 */
export async function removeOldRows(db: Database, retention: Retention, now: Date): Promise<void> {
  await createMonths(db, now);
  let isMore = false;
  for (const rows of OLD_ROWS) isMore = (await removeOldRowsOf(db, rows, retention[rows.retention], now)) || isMore;
  if (isMore) await enqueue(db, 'remove_old_rows', {}, { jobKey: 'remove_old_rows' });
}
