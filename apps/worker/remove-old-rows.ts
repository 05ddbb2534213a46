import { type Retention, USUAL_RETENTION } from '@case-platform/lib/config/read-retention';
import type { Database } from '@case-platform/lib/database';
import { type OldRows, removeOld } from '@case-platform/lib/database/remove-old';
import { OLD_KEYS } from '@case-platform/lib/idempotency';
import { enqueue } from '@case-platform/lib/jobs';
import { OLD_ACCOUNT_ROWS } from '@case-platform/modules/accounts';
import { OLD_BANKING_ROWS } from '@case-platform/modules/banking';
import { OLD_NOTIFICATION_ROWS } from '@case-platform/modules/notifications';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** By the clock: graphile-worker adds what its crontab knows. */
    remove_old_rows: Record<string, unknown>;
    /** The names that this had in the version before: its jobs may still wait. */
    sweep_agency_events: Record<string, unknown>;
    sweep_provider_reports: Record<string, unknown>;
  }
}

/** Every table of which old rows are removed (docs/operations.md, "What is removed by itself"). */
export const OLD_ROWS: readonly OldRows[] = [
  OLD_KEYS,
  ...OLD_ACCOUNT_ROWS,
  ...OLD_NOTIFICATION_ROWS,
  ...OLD_BANKING_ROWS,
];

/** Removes what its time is over for, a few hundred rows at a time; what one job does not reach is the next one's. */
export async function removeOldRows(db: Database, now: Date, keptDays: Retention = USUAL_RETENTION): Promise<void> {
  let isMore = false;
  for (const rows of OLD_ROWS) isMore = (await removeOld(db, rows, keptDays[rows.kept], now)) || isMore;
  if (isMore) await enqueue(db, 'remove_old_rows', {}, { jobKey: 'remove_old_rows' });
}
