import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import type { SuppressionReason } from './suppressions.ts';

/** What a provider says became of a message after it had taken it. */
export interface ProviderReport {
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

/**
 * Takes a provider's reports, all or none; the same ones again change nothing. A report is about a delivery only where the
 * address is the delivery's own: two installations may share an account.
 */
export async function recordReports(
  db: Database,
  { channel, source }: { channel: 'email' | 'sms'; source: 'sendgrid' | 'twilio' },
  reports: readonly ProviderReport[],
): Promise<void> {
  const outcomes = JSON.stringify(lastOutcomes(reports.filter(({ outcome }) => outcome !== null)));
  const suppressed = JSON.stringify(reports.filter(({ suppress }) => suppress !== null));
  await db.transaction().execute(async (tx) => {
    await run(
      tx,
      `update delivery d
          set outcome = r.outcome, outcome_at = now(),
              state = case when r.outcome = 'bounced' then 'failed' when d.state = 'queued' then 'sent' else d.state end,
              sent_at = case when d.state = 'queued' and r.outcome = 'delivered' then now() else d.sent_at end,
              error = case when r.outcome = 'bounced' then left(r.detail, 500) else d.error end
         from (select distinct on (id) *
                 from (select r.*, coalesce(r.delivery_id,
                                (select max(id) from delivery where provider_id = r.provider_id)) as id
                         from json_to_recordset($2::json)
                           as r (delivery_id bigint, provider_id text, address text, outcome text, detail text)) named
                where id is not null order by id, outcome) r
        where d.id = r.id and d.channel = $1 and lower(d.recipient) = lower(r.address)
          and d.outcome is distinct from 'bounced' and d.outcome is distinct from r.outcome`,
      [channel, outcomes],
    );
    await run(
      tx,
      `insert into suppression (channel, address, reason, source, detail)
       select distinct on (lower(address)) $1, lower(address), suppress, $2, left(detail, 500)
         from json_to_recordset($3::json) as r (address text, suppress text, detail text)
        where length(address) between 3 and 320
        order by lower(address)
       on conflict (channel, address) do nothing`,
      [channel, source, suppressed],
    );
  });
}

/** One outcome a message: a bounce is the last word, whatever came before or comes after it. */
function lastOutcomes(reports: readonly ProviderReport[]): ProviderReport[] {
  const last = new Map<string, ProviderReport>();
  for (const report of reports) {
    const name = `${report.delivery_id ?? ''} ${report.provider_id ?? ''} ${report.address.toLowerCase()}`;
    if (last.get(name)?.outcome !== 'bounced') last.set(name, report);
  }
  return [...last.values()];
}
