import type { Transaction } from '@case-platform/lib/database';
import { enqueueAll, type JobsOptions } from '@case-platform/lib/jobs';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import type { Announcement, Recipient } from '../deliveries.ts';
import { findEvent, type PushEvent } from '../events.ts';
import { isOptional } from '../preferences.ts';
import { fitPayload, type PushPayload } from './push-payload.ts';

export interface PushJob {
  delivery_id: number;
  subscription_id: number;
  payload: PushPayload;
  /** True if the push service should wake a sleeping device. */
  urgent: boolean;
  /** The message that it is about; the push is only sent while its recipient may read the message (`canDeliver`). */
  message_id?: number | undefined;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    deliver_push: PushJob;
  }
}

const DEFAULTS = { icon: '/icon-192.png', requireInteraction: false, vibrate: [200] };

interface PushAnnouncement extends Omit<Announcement<PushEvent>, 'to'> {
  to: readonly Recipient[];
  /** Takes missing parts from `DEFAULTS`. */
  payload: Omit<PushPayload, keyof typeof DEFAULTS> & Partial<PushPayload>;
  message_id?: number | undefined;
}

/**
 * Records and queues one push for each device of each person who has not turned the event off, once per key (PUSH-8): a trigger
 * leaves out a second delivery with a key. Each has
 * its own record and job, so that a device that fails is retried by itself. A device that has to subscribe again is skipped.
 */
export async function queuePushes(
  tx: Transaction,
  { key, event, to, message_id, ...push }: PushAnnouncement,
  options: JobsOptions<PushJob> = {},
): Promise<PushJob[]> {
  const payload = fitPayload({ ...DEFAULTS, ...push.payload });
  const urgent = findEvent(event)?.urgent === true;
  const deliveries = await query<Pick<PushJob, 'delivery_id' | 'subscription_id'>>(
    tx,
    sql`insert into delivery (delivery_key, channel, event, user_id, recipient, subject, request_id)
        select ${key} || ':push:' || s.id, 'push', ${event}, s.user_id, substring(s.endpoint from '^\\w+://([^/?#]+)'),
               ${payload.title}, ${currentRequest()?.request_id ?? null}
          from unnest(${to.map(({ id }) => id)}::bigint[],
                      ${to.map(({ user_type }) => user_type)}::text[]) as person (user_id, user_type)
          join push_subscription s using (user_id, user_type)
         where s.renew_since is null
           and not (${isOptional(event, 'push')} and exists (
                 select from notification_preference p
                  where p.user_id = s.user_id and p.event = ${event} and p.channel = 'push' and not p.enabled))
         order by s.id
        returning id as delivery_id, substring(delivery_key from '\\d+$')::bigint as subscription_id`,
  );
  const jobs = deliveries.map((delivery) => ({ ...delivery, payload, urgent, message_id }));
  await enqueueAll(tx, 'deliver_push', jobs, options);
  return jobs;
}
