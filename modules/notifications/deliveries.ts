import type { Executor } from '@case-platform/lib/database';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import { countDelivery } from './delivery-counts.ts';
import { type EventName, isSecretEvent } from './events.ts';
import { canSwitchOff, type Person } from './preferences.ts';

export type DeliveryState = 'queued' | 'sent' | 'failed' | 'suppressed';

export interface Recipient extends Person {
  email_address: string;
}

/** What every channel is told about what it announces. */
export interface Announcement<Event extends EventName> {
  /** Stable for what is announced, so that a job that runs again adds nothing. */
  key: string;
  /** One of the inventory's (events.ts). */
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

/** Addresses as the suppression list compares them. */
const SAME_ADDRESS = sql`case d.channel when 'email' then lower(d.recipient) else d.recipient end`;

/**
 * Records one delivery; a repeat of its key records none. What the recipient has switched off is recorded as suppressed.
 * @returns its id, or undefined when there is nothing to deliver.
 */
export async function recordDelivery(tx: Executor, delivery: NewDelivery): Promise<number | undefined> {
  const { delivery_key, channel, event, user_id, recipient, subject } = delivery;
  const [row] = await query<{ id: number; state: DeliveryState }>(
    tx,
    sql`insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state, error, request_id)
        select ${delivery_key}, ${channel}, ${event}, ${user_id}, ${recipient}, ${subject},
               case when off then 'suppressed' else 'queued' end,
               case when off then 'Switched off by the recipient.' end, ${currentRequest()?.request_id ?? null}
          from (select ${canSwitchOff(event, channel)} and exists (
                  select from notification_preference
                   where user_id = ${user_id} and event = ${event} and channel = ${channel} and not enabled)
                as off) preference
        on conflict (delivery_key) do nothing returning id, state`,
  );
  return row?.state === 'queued' ? row.id : undefined;
}

/**
 * Counts a try; false when the delivery is done (sent, failed for good or suppressed) or gone. What is still queued for
 * someone whose account was deactivated, or for an address on the suppression list, is suppressed: no provider is called.
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
  const kept = deactivated || isSecretEvent(event) ? null : JSON.stringify(job);
  await query(
    db,
    sql`update delivery set state = 'suppressed', error = ${error}, retry_job = ${kept}::jsonb, attempts = attempts - 1
         where id = ${job.delivery_id} and state = 'queued'`,
  );
  countDelivery(delivery.channel, 'suppressed');
  return false;
}

/** Ends a delivery that is still queued without sending it. */
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
  error?: string;
  /** Given only where nothing was really sent, for reading in development. */
  content?: object;
}

/**
 * Records how a try ended. What failed for good keeps its job, so that staff can have it tried again, but for codes and
 * links. A bounce that the provider has reported meanwhile stays.
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
 * Ends a delivery for which there is no provider: development keeps what was rendered, to be read there; production keeps
 * no code and no link, and says that nothing was sent.
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

/** Records a try that failed. Thrown again for another one, unless it is pointless or was the last. */
export async function endFailure(
  { db, lastAttempt }: { db: Executor; lastAttempt: boolean },
  job: { delivery_id: number },
  { error, permanent }: { error: Error; permanent: boolean },
): Promise<void> {
  const final = permanent || lastAttempt;
  await endAttempt(db, job, { state: final ? 'failed' : 'queued', error: error.message });
  // The delivery itself is what staff see and try again; the job has nothing more to say.
  if (!final) throw error;
}
