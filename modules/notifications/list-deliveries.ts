import type { Executor } from '@case-platform/lib/database';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { allOf, limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { isBlank } from '@case-platform/lib/text/human-text';
import type { DeliveryState } from './deliveries.ts';
import type { Channel } from './events.ts';

export interface Delivery {
  id: number;
  channel: Channel;
  event: string;
  user_id: number | null;
  recipient: string;
  subject: string;
  state: DeliveryState;
  attempts: number;
  provider_id: string | null;
  error: string | null;
  created_at: Date;
  sent_at: Date | null;
  /** The provider's report after it accepted the message. */
  outcome: 'delivered' | 'bounced' | null;
  outcome_at: Date | null;
}

/** A delivery with the content that development keeps of it. */
export interface WholeDelivery extends Delivery {
  content: DeliveryContent | null;
  can_retry: boolean;
  /** The request that caused it, also through several jobs (METRIC-4). */
  request_id: string | null;
}

export interface DeliveryContent {
  html?: string;
  text?: string;
}

export interface DeliveryFilter {
  channel?: Channel | undefined;
  state?: DeliveryState | undefined;
  event?: string | undefined;
  user_id?: number | undefined;
  /** Prefixes of words in a person's name or address. */
  person?: string | undefined;
  before?: number | undefined;
  limit?: number;
}

const COLUMNS = sql`d.id, d.channel, d.event, d.user_id, d.recipient, d.subject, d.state, d.attempts, d.provider_id,
  d.error, d.created_at, d.sent_at, d.outcome, d.outcome_at`;
/** A text that matches more people than this is not a useful name. */
const PEOPLE_MAX = 100;
/** Counting stops here. */
const COUNTED_MAX = 100;

/** Lists deliveries, newest first, in keyset pages: those with an id below `before`. */
export async function listDeliveries(
  db: Executor,
  { person = '', before, limit = 50, ...equal }: DeliveryFilter,
): Promise<{ data: Delivery[]; next_before: number | null }> {
  const { channel, state, event, user_id } = equal;
  const conditions: Sql[] = [];
  if (channel !== undefined) conditions.push(sql`d.channel = ${channel}`);
  if (state !== undefined) conditions.push(sql`d.state = ${state}`);
  if (event !== undefined) conditions.push(sql`d.event = ${event}`);
  if (user_id !== undefined) conditions.push(sql`d.user_id = ${user_id}`);
  if (before !== undefined) conditions.push(sql`d.id < ${before}`);
  const page = (also: readonly Sql[]) =>
    sql`select ${COLUMNS} from delivery d where ${allOf([...also, ...conditions])} order by d.id desc ${limitTo(rowsFor(limit))}`;
  // Reads each matching person's deliveries by index, instead of the deliveries of everyone.
  const ofPeople = sql`select d.* from (
      select id from user_account where search @@ ${prefixQuery(person) ?? ''}::tsquery
       ${limitTo(PEOPLE_MAX)}) u
    cross join lateral (${page([sql`d.user_id = u.id`])}) d order by d.id desc ${limitTo(rowsFor(limit))}`;
  const rows = await query<Delivery>(db, isBlank(person) ? page([]) : ofPeople);
  const data = rows.slice(0, limit);
  return { data, next_before: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

export async function listDeliveryEvents(db: Executor): Promise<string[]> {
  // One index step per event instead of one per delivery.
  const rows = await query<{ event: string }>(
    db,
    sql`with recursive names as (
          (select event from delivery order by event limit 1)
          union all
          select (select d.event from delivery d where d.event > names.event order by d.event limit 1)
            from names where names.event is not null)
        select event from names where event is not null`,
  );
  return rows.map(({ event }) => event);
}

/** Counts deliveries that failed for good; 100 means 100 or more. */
export async function countFailedDeliveries(db: Executor): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    sql`select count(*)::int as count from (select from delivery where state = 'failed' ${limitTo(COUNTED_MAX)}) failed`,
  );
  return row?.count ?? 0;
}

export async function findDelivery(db: Executor, id: number): Promise<WholeDelivery | null> {
  const [delivery] = await query<WholeDelivery>(
    db,
    sql`select ${COLUMNS}, d.content, d.retry_job is not null as can_retry, d.request_id from delivery d
         where d.id = ${id}`,
  );
  return delivery ?? null;
}
