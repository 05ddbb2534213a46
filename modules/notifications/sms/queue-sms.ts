import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { type Announcement, recordDelivery } from '../deliveries.ts';
import type { SmsEvent } from '../events.ts';

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
 * Adds one text message, a phone number and a text (specification, 'SMS'), to what is to be delivered, with its record, in
 * the caller's transaction. A repeat adds none.
 */
export async function queueSms(
  tx: Transaction,
  sms: Announcement<SmsEvent> & { phone: string; text: string },
): Promise<void> {
  const { key, event, to, phone, text } = sms;
  const delivery_id = await recordDelivery(tx, {
    ...{ delivery_key: `${key}:sms:${to.id}`, channel: 'sms', event, user_id: to.id, recipient: phone, subject: '' },
  });
  if (delivery_id !== undefined) await enqueue(tx, 'deliver_sms', { delivery_id, phone, text });
}
