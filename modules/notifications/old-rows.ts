import type { OldRows } from '@case-platform/lib/database/old-rows';
import { limitTo, sql } from '@case-platform/lib/sql';

/** Rows of notifications that are deleted after a time; see `OldRows` (RETAIN-1). */
export const OLD_NOTIFICATION_ROWS: readonly OldRows[] = [
  {
    // A delivery that is still queued stays, however old it is, and with it the partition of its month.
    table: 'delivery',
    retention: 'deliveries',
    hasMonths: true,
    step: ({ before, limit, after }) => sql`
      with old as materialized (
             select id, state, created_at from delivery
              where created_at < ${before} and (created_at, id) > (${after.at}::timestamptz, ${after.id}::bigint)
              order by created_at, id ${limitTo(limit)} for update skip locked),
           removed as (delete from delivery where created_at < ${before}
                         and id = any(array(select id from old where state <> 'queued')))
      select created_at::text as at, id from old order by created_at, id`,
  },
  {
    table: 'delivery_key',
    retention: 'deliveries',
    step: ({ before, limit }) => sql`
      delete from delivery_key where key = any(array(
        select key from delivery_key where created_at < ${before}
         order by created_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    table: 'provider_report',
    retention: 'reports',
    step: ({ before, limit }) => sql`
      delete from provider_report where ctid = any(array(
        select ctid from provider_report where received_at < ${before}
         order by received_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    // A lift must outlast all reports about the time before it; older reports are rejected anyway (NOTIFY-10).
    table: 'suppression_lift',
    retention: 'reports',
    step: ({ before, limit }) => sql`
      delete from suppression_lift where ctid = any(array(
        select ctid from suppression_lift where lifted_at < ${before}
         order by lifted_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
];
