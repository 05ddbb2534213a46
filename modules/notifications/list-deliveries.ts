import type { Executor } from '@case-platform/lib/database';
import { toPrefixQuery } from '@case-platform/lib/database/prefix-query';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
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
  /** What the provider reported after it had taken it. */
  outcome: 'delivered' | 'bounced' | null;
  outcome_at: Date | null;
}

/** One delivery with what development kept of it, and whether staff may have it tried again. */
export interface WholeDelivery extends Delivery {
  content: DeliveryContent | null;
  can_retry: boolean;
  /** The request that it goes back to, however many jobs lie between. */
  request_id: string | null;
}

/** The content that development keeps of an email: `html` and `text`. */
export interface DeliveryContent {
  html?: string;
  text?: string;
}

export interface DeliveryFilter {
  channel?: Channel | undefined;
  state?: DeliveryState | undefined;
  event?: string | undefined;
  user_id?: number | undefined;
  /** Beginnings of words of a person's name or address. */
  person?: string | undefined;
  /** Only those with a lower id. */
  before?: number | undefined;
  limit?: number;
}

const COLUMNS = sql`d.id, d.channel, d.event, d.user_id, d.recipient, d.subject, d.state, d.attempts, d.provider_id,
  d.error, d.created_at, d.sent_at, d.outcome, d.outcome_at`;
/** A text that fits more people than these is no name of anybody. */
const PEOPLE_MAX = 100;
/** From here on a list is not counted to its end. */
const COUNTED_MAX = 100;

/** Deliveries, newest first, one keyset page: those with an id below `before`. */
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
    sql`select ${COLUMNS} from delivery d where ${allOf([...also, ...conditions])} order by d.id desc limit ${limit + 1}`;
  // One walk along each person's own deliveries, instead of one along everybody's.
  const ofPeople = sql`select d.* from (
      select id from user_account where search @@ to_tsquery('simple', ${toPrefixQuery(person) ?? ''})
       limit ${PEOPLE_MAX}) u
    cross join lateral (${page([sql`d.user_id = u.id`])}) d order by d.id desc limit ${limit + 1}`;
  const rows = await query<Delivery>(db, person.trim() === '' ? page([]) : ofPeople);
  const data = rows.slice(0, limit);
  return { data, next_before: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** What deliveries are sent because of: every event that there is a delivery of, by name. */
export async function listDeliveryEvents(db: Executor): Promise<string[]> {
  // One step along the index an event, not one a delivery.
  const rows = await query<{ event: string }>(
    db,
    sql`with recursive known as (
          (select event from delivery order by event limit 1)
          union all
          select (select d.event from delivery d where d.event > known.event order by d.event limit 1)
            from known where known.event is not null)
        select event from known where event is not null`,
  );
  return rows.map(({ event }) => event);
}

/** How many deliveries have failed for good; 100 stands for that many or more. */
export async function countFailedDeliveries(db: Executor): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    sql`select count(*)::int as count from (select from delivery where state = 'failed' limit ${COUNTED_MAX}) failed`,
  );
  return counted?.count ?? 0;
}

/** One delivery with what development kept of it, or null. */
export async function findDelivery(db: Executor, id: number): Promise<WholeDelivery | null> {
  const [found] = await query<WholeDelivery>(
    db,
    sql`select ${COLUMNS}, d.content, d.retry_job is not null as can_retry, d.request_id from delivery d
         where d.id = ${id}`,
  );
  return found ?? null;
}
