import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { SuppressionReason } from './suppressions.ts';

export interface ProviderReport {
  /** The provider's id of this report, the same when it is sent again. */
  report_id: string;
  /** Null if the provider gives no time; then the time when the message was sent counts. */
  happened_at: Date | null;
  /** Our own id, which was sent with the message; null if the report has none. `provider_id` identifies the message then. */
  delivery_id: number | null;
  provider_id: string | null;
  address: string;
  outcome: 'delivered' | 'bounced' | null;
  /** The reason to stop sending to the address; null if sending may continue. */
  suppress: SuppressionReason | null;
  detail: string;
}

type Source = { channel: 'email' | 'sms'; source: 'sendgrid' | 'twilio' };

const DAY_MS = 24 * 3_600_000;
/** Providers deliver and report for up to three days, so older reports are rejected (NOTIFY-10). */
const TAKEN_WITHIN_MS = 7 * DAY_MS;
/** Allows for clocks that differ. */
const AHEAD_MS = 10 * 60_000;

/**
 * Records a provider's reports, all or none, each only once (NOTIFY-10). For a delivery the latest event counts, in whatever
 * order reports arrive, and a bounce is final. A report counts only if its address is the delivery's own, because two
 * installations may share an account.
 */
export async function recordReports(db: Database, source: Source, reports: readonly ProviderReport[], now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const dated = await withMoments(tx, source, reports);
    const current = dated.filter(({ at }) => at > now.getTime() - TAKEN_WITHIN_MS && at < now.getTime() + AHEAD_MS);
    const fresh = await storeNew(tx, source, current);
    await setOutcomes(tx, source, fresh);
    await suppress(tx, source, fresh);
  });
}

type DatedReport = Omit<ProviderReport, 'delivery_id' | 'happened_at'> & {
  /** The delivery that it is about, or null if it is not one of ours. */
  id: number | null;
  at: number;
};

/** Adds its delivery and time to each report. A report without a time of its own or of a delivery is dropped. */
async function withMoments(
  tx: Transaction,
  { channel, source }: Source,
  reports: readonly ProviderReport[],
): Promise<DatedReport[]> {
  const numbered = JSON.stringify(reports.map((report, position) => ({ ...report, position })));
  const matches = await query<{ position: number; id: number; at: number }>(
    tx,
    sql`select r.position, d.id, (extract(epoch from coalesce(d.sent_at, d.created_at)) * 1000)::bigint as at
          from json_to_recordset(${numbered}::json)
            as r (position int, delivery_id bigint, provider_id text, address text)
          join delivery d on d.channel = ${channel} and lower(d.recipient) = lower(r.address)
           and d.id = coalesce(r.delivery_id, (select max(id) from delivery where provider_id = r.provider_id))
           -- Twilio gives each try an id of its own: a report about an earlier one says nothing about this one.
           and (${source} <> 'twilio' or d.provider_id is null or d.provider_id = r.provider_id)`,
  );
  const deliveries = new Map(matches.map((delivery) => [delivery.position, delivery]));
  return reports.flatMap(({ delivery_id, happened_at, ...report }, position) => {
    const delivery = deliveries.get(position);
    const at = happened_at?.getTime() ?? delivery?.at;
    return at === undefined ? [] : [{ ...report, id: delivery?.id ?? null, at }];
  });
}

/** Stores the ids of the reports. @returns those that no process has stored before. */
async function storeNew(tx: Transaction, { source }: Source, reports: DatedReport[]): Promise<DatedReport[]> {
  const rows = await query<{ report_id: string }>(
    tx,
    sql`insert into provider_report (source, report_id)
        select ${source}, id from unnest(${reports.map(({ report_id }) => report_id)}::text[]) as id group by id
         order by id on conflict do nothing returning report_id`,
  );
  const fresh = new Set(rows.map(({ report_id }) => report_id));
  return reports.filter(({ report_id }) => fresh.delete(report_id));
}

async function setOutcomes(tx: Transaction, { channel }: Source, reports: DatedReport[]): Promise<void> {
  const outcomes = JSON.stringify(reports.filter(({ outcome }) => outcome !== null));
  await query(
    tx,
    sql`update delivery d
           set outcome = r.outcome, outcome_at = r.at,
               state = case when r.outcome = 'bounced' then 'failed'
                            when d.state = 'queued' then 'sent' else d.state end,
               sent_at = case when d.state = 'queued' and r.outcome = 'delivered' then now() else d.sent_at end,
               error = case when r.outcome = 'bounced' then left(r.detail, 500) else d.error end
          from (select distinct on (id) id, outcome, detail, to_timestamp(at / 1000.0) as at
                  from json_to_recordset(${outcomes}::json) as r (id bigint, outcome text, detail text, at bigint)
                 where id is not null order by id, outcome = 'bounced' desc, at desc) r
         where d.id = r.id and d.channel = ${channel}
           and d.outcome is distinct from 'bounced' and d.outcome is distinct from r.outcome`,
  );
}

/** An address whose suppression staff lifted is not suppressed again by older reports. */
async function suppress(tx: Transaction, { channel, source }: Source, reports: DatedReport[]): Promise<void> {
  const suppressing = JSON.stringify(reports.filter((report) => report.suppress !== null));
  await query(
    tx,
    sql`insert into suppression (channel, address, reason, source, detail)
        select distinct on (lower(r.address)) ${channel}, lower(r.address), r.suppress, ${source}, left(r.detail, 500)
          from json_to_recordset(${suppressing}::json) as r (address text, suppress text, detail text, at bigint)
          left join suppression_lift l on l.channel = ${channel} and l.address = lower(r.address)
         where length(r.address) between 3 and 320
           and (l.lifted_at is null or to_timestamp(r.at / 1000.0) > l.lifted_at)
         order by lower(r.address), r.at desc
        on conflict (channel, address) do nothing`,
  );
}
