import type { Executor } from '@case-platform/lib/database';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import { countDelivery } from './delivery-counts.ts';
import { type EventName, isSecretEvent } from './events.ts';
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
 * Records a delivery once per key: a trigger leaves out a second one (`claim_delivery_key`). If the recipient turned the event off, it is recorded as suppressed (NOTIFY-5).
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

/**
 * Counts an attempt and returns true if the delivery should be sent. A queued delivery to a deactivated account, or to an address
 * on the suppression list, is suppressed instead (NOTIFY-7, NOTIFY-9).
 */
export async function beginAttempt(db: Executor, job: { delivery_id: number }): Promise<boolean> {
  const [delivery] = await query<{ event: string; channel: string; deactivated: boolean; reason: string | null }>(
    db,
    sql`update delivery d set attempts = d.attempts + 1
         where d.id = ${job.delivery_id} and d.state = 'queued'
         returning d.event, d.channel,
           exists (select from user_account u where u.id = d.user_id and u.status = 'deactivated') as deactivated,
           (select s.reason from suppression s where s.channel = d.channel and s.address = ${SAME_ADDRESS}) as reason`,
  );
  if (delivery === undefined) return false;
  const { event, deactivated, reason } = delivery;
  if (!deactivated && reason === null) return true;
  const error = deactivated ? 'The account was deactivated.' : `The address is on the suppression list: ${reason}.`;
  const retryJob = deactivated || isSecretEvent(event) ? null : JSON.stringify(job);
  await query(
    db,
    sql`update delivery set state = 'suppressed', error = ${error}, retry_job = ${retryJob}::jsonb, attempts = attempts - 1
         where id = ${job.delivery_id} and state = 'queued'`,
  );
  countDelivery(delivery.channel, 'suppressed');
  return false;
}

export async function suppressDelivery(db: Executor, deliveryId: number, error: string): Promise<void> {
  const rows = await query<{ channel: string }>(
    db,
    sql`update delivery set state = 'suppressed', error = ${error} where id = ${deliveryId} and state = 'queued'
        returning channel`,
  );
  for (const { channel } of rows) countDelivery(channel, 'suppressed');
}

interface Outcome {
  state: DeliveryState;
  provider_id?: string;
  error?: string | undefined;
  /** The rendered content, only if nothing was really sent, for reading in development. */
  content?: object;
}

/**
 * Records the result of an attempt. A delivery that failed for good keeps its job, so that staff can try it again, except for
 * codes and links (NOTIFY-6, NOTIFY-8). A bounce that the provider reported meanwhile stays.
 */
export async function endAttempt(db: Executor, job: { delivery_id: number }, outcome: Outcome): Promise<void> {
  const { state, provider_id = null, error = null, content } = outcome;
  const [delivery] = await query<{ event: string; channel: string }>(
    db,
    sql`update delivery set provider_id = coalesce(${provider_id}, provider_id),
               content = ${content === undefined ? null : JSON.stringify(content)}::jsonb,
               state = case when outcome = 'bounced' then state else ${state} end,
               error = case when outcome = 'bounced' then error else left(${error}, 500) end,
               sent_at = case when ${state} = 'sent' then now() end,
               retry_job = null
         where id = ${job.delivery_id} returning event, channel`,
  );
  if (delivery !== undefined) countDelivery(delivery.channel, state);
  if (state !== 'failed' || delivery === undefined || isSecretEvent(delivery.event)) return;
  await query(
    db,
    sql`update delivery set retry_job = ${JSON.stringify(job)}::jsonb where id = ${job.delivery_id} and state = 'failed'`,
  );
}

/**
 * Ends a delivery for which no provider is configured: development keeps the rendered content (NOTIFY-2), and production records
 * a failure, so that no code or link is stored.
 */
export async function endUnsent(
  { db, keepsContent }: { db: Executor; keepsContent: boolean },
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
  { db, lastAttempt }: { db: Executor; lastAttempt: boolean },
  job: { delivery_id: number },
  { error, permanent }: { error: Error; permanent: boolean },
): Promise<void> {
  const final = permanent || lastAttempt;
  await endAttempt(db, job, { state: final ? 'failed' : 'queued', error: error.message });
  // After the last attempt staff retry the delivery itself, so the job ends without an error.
  if (!final) throw error;
}
