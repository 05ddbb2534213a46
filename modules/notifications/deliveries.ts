import type { DatabaseTransaction } from '@case-platform/db';
import { type Executor, run } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import type { User } from '@case-platform/modules/accounts';
import type { TemplateContext, TemplateName } from './render-email.ts';

export type Channel = 'email' | 'sms' | 'push';
export type DeliveryState = 'queued' | 'sent' | 'failed' | 'suppressed';

/** What the browser's notification is made from (specification, 'Push notification payload'). */
export interface PushPayload {
  title: string;
  body: string;
  icon: string;
  data: { url: string };
  tag: string;
  requireInteraction: boolean;
  vibrate: number[];
}

export interface EmailJob {
  delivery_id: number;
  to: string;
  subject: string;
  template_name: TemplateName;
  template_context: TemplateContext;
}

export interface SmsJob {
  delivery_id: number;
  phone: string;
  text: string;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    deliver_email: EmailJob;
    deliver_sms: SmsJob;
    deliver_push: PushJob;
  }
}

type Recipient = Pick<User, 'id' | 'user_type' | 'email_address'>;

interface Announcement {
  /** Stable for what is announced, so that a job that runs again adds nothing. */
  key: string;
  event: string;
  to: Recipient;
}

/** Adds one email to what is to be delivered, with its record, in the caller's transaction. A repeat adds none. */
export async function queueEmail(
  tx: DatabaseTransaction,
  email: Announcement & { subject: string; template_name: TemplateName; template_context: TemplateContext },
): Promise<void> {
  const subject = email.subject.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const deliveryId = await recordDelivery(tx, {
    delivery_key: `${email.key}:email:${email.to.id}`,
    channel: 'email',
    event: email.event,
    user_id: email.to.id,
    recipient: email.to.email_address,
    subject,
  });
  if (deliveryId === undefined) return;
  const { template_name, template_context } = email;
  await enqueue(tx, 'deliver_email', {
    delivery_id: deliveryId,
    to: email.to.email_address,
    subject,
    template_name,
    template_context,
  });
}

/** Adds one text message to what is to be delivered, with its record, in the caller's transaction. A repeat adds none. */
export async function queueSms(
  tx: DatabaseTransaction,
  sms: Announcement & { phone: string; text: string },
): Promise<void> {
  const { phone, text } = sms;
  const deliveryId = await recordDelivery(tx, {
    delivery_key: `${sms.key}:sms:${sms.to.id}`,
    channel: 'sms',
    event: sms.event,
    user_id: sms.to.id,
    recipient: phone,
    subject: '',
  });
  if (deliveryId !== undefined) await enqueue(tx, 'deliver_sms', { delivery_id: deliveryId, phone, text });
}

export interface PushJob {
  delivery_id: number;
  subscription_id: number;
  payload: PushPayload;
}

type PushAnnouncement = Announcement & {
  payload: { title: string; body: string; url: string; tag: string } & Partial<PushPayload>;
};

/**
 * Adds one push for each of the person's devices ('Push subscription behaviour' 4), each with a record and a job of its
 * own: a device that fails is tried again alone.
 */
export async function queuePush(tx: DatabaseTransaction, push: PushAnnouncement): Promise<void> {
  for (const job of await recordPushes(tx, push)) await enqueue(tx, 'deliver_push', job);
}

/** Records one push for each of the person's devices; a repeat of the same key records none. */
export async function recordPushes(tx: DatabaseTransaction, push: PushAnnouncement): Promise<PushJob[]> {
  const subscriptions = await run<{ id: number; endpoint: string }>(
    tx,
    'select id, endpoint from push_subscription where user_id = $1 and user_type = $2 order by id',
    [push.to.id, push.to.user_type],
  );
  const jobs: PushJob[] = [];
  for (const { id, endpoint } of subscriptions) {
    const deliveryId = await recordDelivery(tx, {
      delivery_key: `${push.key}:push:${id}`,
      channel: 'push',
      event: push.event,
      user_id: push.to.id,
      recipient: new URL(endpoint).host,
      subject: push.payload.title,
    });
    if (deliveryId === undefined) continue;
    jobs.push({ delivery_id: deliveryId, subscription_id: id, payload: toPayload(push.payload) });
  }
  return jobs;
}

function toPayload({ title, body, url, tag, ...rest }: PushAnnouncement['payload']): PushPayload {
  return { title, body, icon: '/icon-192.png', data: { url }, tag, requireInteraction: false, vibrate: [200], ...rest };
}

interface NewDelivery {
  delivery_key: string;
  channel: Channel;
  event: string;
  user_id: number | null;
  recipient: string;
  subject: string;
}

async function recordDelivery(tx: DatabaseTransaction, delivery: NewDelivery): Promise<number | undefined> {
  const row = await tx
    .insertInto('delivery')
    .values(delivery)
    .onConflict((conflict) => conflict.column('delivery_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/**
 * Counts a try; false when the delivery is done (sent, failed for good or suppressed) or gone. What is still queued for
 * someone whose account was deactivated is suppressed.
 */
export async function beginAttempt(db: Executor, deliveryId: number): Promise<boolean> {
  const rows = await run(
    db,
    `with suppressed as (
       update delivery d set state = 'suppressed', error = 'The account was deactivated.'
         from user_account u
        where d.id = $1 and d.state = 'queued' and u.id = d.user_id and u.status = 'deactivated' returning d.id)
     update delivery set attempts = attempts + 1
      where id = $1 and state = 'queued' and not exists (select from suppressed) returning id`,
    [deliveryId],
  );
  return rows.length === 1;
}

/** Records how a try ended. `content` is given only where nothing was really sent, for reading in development. */
export async function endAttempt(
  db: Executor,
  deliveryId: number,
  outcome: { state: DeliveryState; provider_id?: string; error?: string; content?: object },
): Promise<void> {
  await run(
    db,
    `update delivery set state = $2, provider_id = $3, error = left($4, 500), content = $5,
            sent_at = case when $2 = 'sent' then now() end
      where id = $1`,
    [
      deliveryId,
      outcome.state,
      outcome.provider_id ?? null,
      outcome.error ?? null,
      outcome.content === undefined ? null : JSON.stringify(outcome.content),
    ],
  );
}

/**
 * Ends a delivery for which there is no provider: development keeps what was rendered, to be read there; production keeps
 * no code and no link, and says that nothing was sent.
 */
export async function endUnsent(
  { db, keepsContent }: { db: Executor; keepsContent: boolean },
  deliveryId: number,
  content: object,
): Promise<void> {
  const outcome = keepsContent
    ? { state: 'sent' as const, provider_id: 'kept here', content }
    : { state: 'failed' as const, error: 'No provider is configured for this channel.' };
  await endAttempt(db, deliveryId, outcome);
}
