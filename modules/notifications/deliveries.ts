import type { Database, Executor } from '@case-platform/lib/database';
import { Gathered } from '@case-platform/lib/database/gathered';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { countDelivery } from './delivery-counts.ts';
import { type EventName, isSecretEvent, SECRET_EVENTS } from './events.ts';
import { isOptional, type Person } from './preferences.ts';

export type DeliveryState = 'queued' | 'sent' | 'failed' | 'suppressed';

export interface Recipient extends Person {
  email_address: string;
}

export interface Announcement<Event extends EventName> {
  /** The same for a repeated announcement, so that a job that runs again adds nothing. */
  key: string;
  event: Event;
  to: Recipient;
}

export interface NewDelivery {
  delivery_key: string;
  channel: 'email' | 'sms';
  event: EventName;
  user_id: number;
  recipient: string;
  subject: string;
}

/** Email addresses on the suppression list are in lower case. */
const SAME_ADDRESS = sql`case d.channel when 'email' then lower(d.recipient) else d.recipient end`;

/**
 * Records a delivery once per key: a trigger leaves out a second one (`claim_delivery_key`). If the recipient turned the event
 * off, it is recorded as suppressed (NOTIFY-5).
 * @returns its id, or undefined if there is nothing to deliver.
 */
export async function recordDelivery(tx: Executor, delivery: NewDelivery): Promise<number | undefined> {
  const { delivery_key, channel, event, user_id, recipient, subject } = delivery;
  const [row] = await query<{ id: number; state: DeliveryState }>(
    tx,
    sql`insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state, error, request_id)
        select ${delivery_key}, ${channel}, ${event}, ${user_id}, ${recipient}, ${subject},
               case when off then 'suppressed' else 'queued' end,
               case when off then 'Switched off by the recipient.' end, ${currentRequest()?.request_id ?? null}
          from (select ${isOptional(event, channel)} and exists (
                  select from notification_preference
                   where user_id = ${user_id} and event = ${event} and channel = ${channel} and not enabled)
                as off) preference
        returning id, state`,
  );
  return row?.state === 'queued' ? row.id : undefined;
}

/** Columns of a `delivery d`: the facts that decide whether it is sent (`maySend`). */
export const ATTEMPT_FACTS = sql`d.event, d.channel,
  exists (select from user_account u where u.id = d.user_id and u.status = 'deactivated') as deactivated,
  (select s.reason from suppression s where s.channel = d.channel and s.address = ${SAME_ADDRESS}) as reason`;

export interface AttemptFacts {
  event: string;
  channel: string;
  deactivated: boolean;
  reason: string | null;
  may_read: boolean;
}

/** True if a queued delivery should be sent now; otherwise it is suppressed. @param mayRead a condition on `delivery d`. */
export async function beginAttempt(db: Executor, job: { delivery_id: number }, mayRead: Sql = sql`true`): Promise<boolean> {
  const [delivery] = await query<AttemptFacts>(
    db,
    sql`select ${ATTEMPT_FACTS}, ${mayRead} as may_read from delivery d where d.id = ${job.delivery_id} and d.state = 'queued'`,
  );
  return delivery !== undefined && maySend(db, job, delivery);
}

/**
 * True if a queued delivery should be sent. One to a deactivated account, to an address on the suppression list, or about a
 * message that its recipient can no longer read is suppressed instead (NOTIFY-7, NOTIFY-9).
 */
export async function maySend(
  db: Executor,
  job: { delivery_id: number },
  { event, channel, deactivated, reason, may_read }: AttemptFacts,
): Promise<boolean> {
  if (may_read && !deactivated && reason === null) return true;
  const suppressed = deactivated ? 'The account was deactivated.' : `The address is on the suppression list: ${reason}.`;
  const error = may_read ? suppressed : 'The recipient can no longer read this message.';
  const isRetryable = may_read && !deactivated && !isSecretEvent(event);
  const rows = await query(
    db,
    sql`update delivery set state = 'suppressed', error = ${error}, retry_job = ${isRetryable ? JSON.stringify(job) : null}::jsonb
         where id = ${job.delivery_id} and state = 'queued' returning id`,
  );
  if (rows.length > 0) countDelivery(channel, 'suppressed');
  return false;
}

interface Outcome {
  state: DeliveryState;
  provider_id?: string;
  error?: string | undefined;
  /** The rendered content, only if nothing was really sent, for reading in development. */
  content?: object;
}

interface Attempt {
  job: { delivery_id: number };
  outcome: Outcome;
}

/** Attempts that end within this time are recorded in one statement. */
const TOGETHER_MS = 10;
const attempts = new Gathered<Database, Attempt>({ withinMs: TOGETHER_MS, write: recordAttempts });

/**
 * Counts an attempt and records its result. A delivery that failed for good keeps its job, so that staff can try it again, except
 * for codes and links (NOTIFY-6, NOTIFY-8). A bounce that the provider reported meanwhile stays.
 */
export function endAttempt(db: Database, job: { delivery_id: number }, outcome: Outcome): Promise<void> {
  return attempts.add(db, { job, outcome });
}

async function recordAttempts(db: Database, ended: readonly Attempt[]): Promise<void> {
  const rows = ended.map(({ job, outcome }) => ({ ...outcome, id: job.delivery_id, job }));
  const recorded = await query<{ channel: string; state: string }>(
    db,
    sql`with ended as materialized (
          select e.*, d.outcome is not distinct from 'bounced' as has_bounced,
                 case when d.outcome = 'bounced' then d.state else e.state end as next_state
            from json_to_recordset(${JSON.stringify(rows)}::json)
                   e (id bigint, state text, provider_id text, error text, content jsonb, job jsonb)
            join delivery d on d.id = e.id order by e.id for no key update of d)
        update delivery d
           set attempts = d.attempts + 1, provider_id = coalesce(e.provider_id, d.provider_id), content = e.content,
               state = e.next_state,
               error = case when e.has_bounced then d.error else left(e.error, 500) end,
               sent_at = case when e.state = 'sent' then now() end,
               retry_job = case when e.state = 'failed' and e.next_state = 'failed' and d.event <> all(${SECRET_EVENTS}) then e.job end
          from ended e where d.id = e.id returning d.channel, e.state`,
  );
  for (const { channel, state } of recorded) countDelivery(channel, state);
}

/**
 * Ends a delivery for which no provider is configured: development keeps the rendered content (NOTIFY-2), and production records
 * a failure, so that no code or link is stored.
 */
export async function endUnsent(
  { db, keepsContent }: { db: Database; keepsContent: boolean },
  job: { delivery_id: number },
  content: object,
): Promise<void> {
  const outcome = keepsContent
    ? { state: 'sent' as const, provider_id: 'kept here', content }
    : { state: 'failed' as const, error: 'No provider is configured for this channel.' };
  await endAttempt(db, job, outcome);
}

/** Records a failed attempt, and throws the error again if there is another attempt to come. */
export async function endFailure(
  { db, lastAttempt }: { db: Database; lastAttempt: boolean },
  job: { delivery_id: number },
  { error, permanent }: { error: Error; permanent: boolean },
): Promise<void> {
  const final = permanent || lastAttempt;
  await endAttempt(db, job, { state: final ? 'failed' : 'queued', error: error.message });
  // After the last attempt staff retry the delivery itself, so the job ends without an error.
  if (!final) throw error;
}
