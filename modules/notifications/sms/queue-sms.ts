import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { type Announcement, recordDelivery } from '../deliveries.ts';
import { countDelivery } from '../delivery-counts.ts';
import type { SmsEvent } from '../events.ts';
import { gsmText } from './gsm-text.ts';

export interface SmsJob {
  delivery_id: number;
  phone: string;
  text: string;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    deliver_sms: SmsJob;
  }
}

/**
 * A number gets at most this many texts a day from all accounts that have not confirmed it (SMS-3), because anyone can enter
 * anyone's number, and texts cost money.
 */
const TEXTS_A_DAY = 10;

/**
 * Records and queues one text message in the caller's transaction, once per key. A message above the limit of its number is
 * recorded as suppressed.
 * @returns null, or the time from which the number can be texted again.
 */
export async function queueSms(
  tx: Transaction,
  sms: Announcement<SmsEvent> & { phone: string; text: string },
): Promise<Date | null> {
  const { key, event, to, phone, text } = sms;
  const delivery_id = await recordDelivery(tx, {
    delivery_key: `${key}:sms:${to.id}`,
    channel: 'sms',
    event,
    user_id: to.id,
    recipient: phone,
    subject: '',
  });
  if (delivery_id === undefined) return null;
  const free_at = await findFreeTurn(tx, delivery_id, phone);
  if (free_at !== null) await suppressText(tx, delivery_id);
  else await enqueue(tx, 'deliver_sms', { delivery_id, phone, text: gsmText(text) });
  return free_at;
}

/**
 * Returns the time from which a number can be texted again, or null for now. The lock makes parallel calls for one number wait
 * for each other.
 */
async function findFreeTurn(tx: Transaction, deliveryId: number, phone: string): Promise<Date | null> {
  await query(tx, sql`select pg_advisory_xact_lock(hashtextextended('texts:' || ${phone}, 0))`);
  const [full] = await query<{ free_at: Date }>(
    tx,
    sql`select d.created_at + interval '1 day' as free_at from delivery d
         where d.channel = 'sms' and d.recipient = ${phone} and d.created_at > now() - interval '1 day'
           and d.state <> 'suppressed' and d.id <> ${deliveryId}
           and not exists (select from delivery own join user_account u on u.id = own.user_id
                            where own.id = ${deliveryId} and u.confirmed_phone = ${phone})
         order by d.created_at desc offset ${TEXTS_A_DAY - 1} limit 1`,
  );
  return full?.free_at ?? null;
}

async function suppressText(tx: Transaction, deliveryId: number): Promise<void> {
  const error = 'This number was texted too often within a day.';
  await query(tx, sql`update delivery set state = 'suppressed', error = ${error} where id = ${deliveryId}`);
  countDelivery('sms', 'suppressed');
}
