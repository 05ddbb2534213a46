import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { limitTo, query, sql } from '@case-platform/lib/sql';

export type SuppressionReason = 'bounced' | 'invalid' | 'unsubscribed' | 'complained';

/** An address or number that gets nothing, because its provider would not deliver or its owner does not want it (NOTIFY-7). */
export interface Suppression {
  id: number;
  channel: 'email' | 'sms';
  address: string;
  reason: SuppressionReason;
  source: 'sendgrid' | 'twilio';
  detail: string;
  created_at: Date;
}

const PAGE = 50;

/** Lists suppressed addresses, newest first, in keyset pages: those with an id below `before`. */
export async function listSuppressions(
  db: Executor,
  { before }: { before?: number | undefined } = {},
): Promise<{ data: Suppression[]; next_before: number | null }> {
  const rows = await query<Suppression>(
    db,
    sql`select id, channel, address, reason, source, detail, created_at from suppression
         where ${before ?? null}::bigint is null or id < ${before ?? null} order by id desc ${limitTo(PAGE + 1)}`,
  );
  const data = rows.slice(0, PAGE);
  return { data, next_before: rows.length > PAGE ? (data.at(-1)?.id ?? null) : null };
}

/**
 * Takes an address off the list. Reports about events before this do not put it back (NOTIFY-7).
 * @throws {NotFoundError} if it is not on the list.
 */
export async function liftSuppression(db: Database, id: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const [suppression] = await query<Suppression>(
      tx,
      sql`delete from suppression where id = ${id} returning id, channel, address, reason, source`,
    );
    if (suppression === undefined) throw new NotFoundError('This address is no longer blocked.');
    const { channel, address, reason, source } = suppression;
    await query(
      tx,
      sql`insert into suppression_lift (channel, address) values (${channel}, ${address})
          on conflict (channel, address) do update set lifted_at = excluded.lifted_at`,
    );
    await recordAudit(tx, {
      ...by,
      action: 'suppression.lift',
      subject_id: id,
      subject_label: address,
      before: { channel, reason, source },
    });
  });
}
