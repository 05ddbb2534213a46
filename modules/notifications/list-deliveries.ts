import { type Executor, run } from '@case-platform/lib/database';
import { toPrefixQuery } from '@case-platform/lib/database/prefix-query';
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

const COLUMNS = [
  ...['id', 'channel', 'event', 'user_id', 'recipient', 'subject'],
  ...['state', 'attempts', 'provider_id', 'error', 'created_at', 'sent_at', 'outcome', 'outcome_at'],
]
  .map((name) => `d.${name}`)
  .join(', ');
/** A text that fits more people than these is no name of anybody. */
const PEOPLE_MAX = 100;
/** From here on a list is not counted to its end. */
const COUNTED_MAX = 100;

/** Deliveries, newest first, one keyset page: those with an id below `before`. */
export async function listDeliveries(
  db: Executor,
  { person = '', before, limit = 50, ...equal }: DeliveryFilter,
): Promise<{ data: Delivery[]; next_before: number | null }> {
  const parameters: unknown[] = [limit + 1];
  const conditions = ['true'];
  const where = (condition: string, value: unknown) => conditions.push(`${condition} $${parameters.push(value)}`);
  const { channel, state, event, user_id } = equal;
  for (const [name, value] of Object.entries({ channel, state, event, user_id }))
    if (value !== undefined) where(`d.${name} =`, value);
  if (before !== undefined) where('d.id <', before);
  const page = (reason: string) =>
    `select ${COLUMNS} from delivery d where ${[reason, ...conditions].join(' and ')} order by d.id desc limit $1`;
  const rows = await run<Delivery>(
    db,
    person.trim() === '' ? page('true') : ofPeople(person, page, parameters),
    parameters,
  );
  const data = rows.slice(0, limit);
  return { data, next_before: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** One walk along each person's own deliveries, instead of one along everybody's. */
function ofPeople(person: string, page: (reason: string) => string, parameters: unknown[]): string {
  const query = `$${parameters.push(toPrefixQuery(person) ?? '')}`;
  return `select d.* from (
      select id from user_account where search @@ to_tsquery('simple', ${query}) limit ${PEOPLE_MAX}) u
    cross join lateral (${page('d.user_id = u.id')}) d order by d.id desc limit $1`;
}

/** What deliveries are sent because of: every event that there is a delivery of, by name. */
export async function listDeliveryEvents(db: Executor): Promise<string[]> {
  // One step along the index an event, not one a delivery.
  const rows = await run<{ event: string }>(
    db,
    `with recursive known as (
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
  const [counted] = await run<{ count: number }>(
    db,
    `select count(*)::int as count from (select from delivery where state = 'failed' limit ${COUNTED_MAX}) failed`,
  );
  return counted?.count ?? 0;
}

/** One delivery with what development kept of it, or null. */
export async function findDelivery(db: Executor, id: number): Promise<WholeDelivery | null> {
  const [found] = await run<WholeDelivery>(
    db,
    `select ${COLUMNS}, d.content, d.retry_job is not null as can_retry from delivery d where d.id = $1`,
    [id],
  );
  return found ?? null;
}
