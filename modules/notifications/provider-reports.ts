import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { SuppressionReason } from './suppressions.ts';

/** What a provider says became of a message after it had taken it. */
export interface ProviderReport {
  /** The provider's name for this report, the same each time that it is sent. */
  report_id: string;
  /** When it happened; null where the provider does not say: then when the message was sent. */
  happened_at: Date | null;
  /** Our own id, which went out with the message; else the provider's. */
  delivery_id: number | null;
  provider_id: string | null;
  address: string;
  outcome: 'delivered' | 'bounced' | null;
  /** Why the address is to get nothing more; null where it may. */
  suppress: SuppressionReason | null;
  /** In words, for staff. */
  detail: string;
}

type Source = { channel: 'email' | 'sms'; source: 'sendgrid' | 'twilio' };

const DAY_MS = 24 * 3_600_000;
/** Providers try to deliver a message, and to report about it, for three days; what is older tells nobody anything. */
const TAKEN_WITHIN_MS = 7 * DAY_MS;
/** Clocks differ. */
const AHEAD_MS = 10 * 60_000;

/**
 * Takes a provider's reports, all or none, each once: whoever has recorded one gets nothing by sending it again. Of a
 * delivery the latest event counts, whatever the order of their coming; a bounce is the last word. A report is about a
 * delivery only where the address is the delivery's own: two installations may share an account.
 */
export async function recordReports(
  db: Database,
  source: Source,
  reports: readonly ProviderReport[],
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const dated = await withMoments(tx, source, reports);
    const current = dated.filter(({ at }) => at > now.getTime() - TAKEN_WITHIN_MS && at < now.getTime() + AHEAD_MS);
    const fresh = await keepNew(tx, source, current);
    await setOutcomes(tx, source, fresh);
    await suppress(tx, source, fresh);
  });
}

type DatedReport = Omit<ProviderReport, 'delivery_id' | 'happened_at'> & {
  /** The delivery that it is about; null where it is about none of ours. */
  id: number | null;
  at: number;
};

/** Each report with its delivery and its moment; one of which neither it nor a delivery says when is left out. */
async function withMoments(
  tx: Transaction,
  { channel, source }: Source,
  reports: readonly ProviderReport[],
): Promise<DatedReport[]> {
  const numbered = JSON.stringify(reports.map((report, position) => ({ ...report, position })));
  const found = await query<{ position: number; id: number; at: number }>(
    tx,
    sql`select r.position, d.id, (extract(epoch from coalesce(d.sent_at, d.created_at)) * 1000)::bigint as at
          from json_to_recordset(${numbered}::json)
            as r (position int, delivery_id bigint, provider_id text, address text)
          join delivery d on d.channel = ${channel} and lower(d.recipient) = lower(r.address)
           and d.id = coalesce(r.delivery_id, (select max(id) from delivery where provider_id = r.provider_id))
           -- Twilio gives each try an id of its own: a report about an earlier one says nothing about this one.
           and (${source} <> 'twilio' or d.provider_id is null or d.provider_id = r.provider_id)`,
  );
  const deliveries = new Map(found.map((delivery) => [delivery.position, delivery]));
  return reports.flatMap(({ delivery_id, happened_at, ...report }, position) => {
    const delivery = deliveries.get(position);
    const at = happened_at?.getTime() ?? delivery?.at;
    return at === undefined ? [] : [{ ...report, id: delivery?.id ?? null, at }];
  });
}

/** Of two processes that are given the same report, one keeps it. */
async function keepNew(tx: Transaction, { source }: Source, reports: DatedReport[]): Promise<DatedReport[]> {
  const kept = await query<{ report_id: string }>(
    tx,
    sql`insert into provider_report (source, report_id)
        select ${source}, id from unnest(${reports.map(({ report_id }) => report_id)}::text[]) as id group by id
         order by id on conflict do nothing returning report_id`,
  );
  const fresh = new Set(kept.map(({ report_id }) => report_id));
  return reports.filter(({ report_id }) => fresh.delete(report_id));
}

async function setOutcomes(tx: Transaction, { channel }: Source, reports: DatedReport[]): Promise<void> {
  const known = JSON.stringify(reports.filter(({ outcome }) => outcome !== null));
  await query(
    tx,
    sql`update delivery d
           set outcome = r.outcome, outcome_at = r.at,
               state = case when r.outcome = 'bounced' then 'failed'
                            when d.state = 'queued' then 'sent' else d.state end,
               sent_at = case when d.state = 'queued' and r.outcome = 'delivered' then now() else d.sent_at end,
               error = case when r.outcome = 'bounced' then left(r.detail, 500) else d.error end
          from (select distinct on (id) id, outcome, detail, to_timestamp(at / 1000.0) as at
                  from json_to_recordset(${known}::json) as r (id bigint, outcome text, detail text, at bigint)
                 where id is not null order by id, outcome = 'bounced' desc, at desc) r
         where d.id = r.id and d.channel = ${channel}
           and d.outcome is distinct from 'bounced' and d.outcome is distinct from r.outcome`,
  );
}

/** What staff have lifted stays lifted for what happened before. */
async function suppress(tx: Transaction, { channel, source }: Source, reports: DatedReport[]): Promise<void> {
  const refused = JSON.stringify(reports.filter((report) => report.suppress !== null));
  await query(
    tx,
    sql`insert into suppression (channel, address, reason, source, detail)
        select distinct on (lower(r.address)) ${channel}, lower(r.address), r.suppress, ${source}, left(r.detail, 500)
          from json_to_recordset(${refused}::json) as r (address text, suppress text, detail text, at bigint)
          left join suppression_lift l on l.channel = ${channel} and l.address = lower(r.address)
         where length(r.address) between 3 and 320
           and (l.lifted_at is null or to_timestamp(r.at / 1000.0) > l.lifted_at)
         order by lower(r.address), r.at desc
        on conflict (channel, address) do nothing`,
  );
}
