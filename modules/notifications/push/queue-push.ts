import type { Transaction } from '@case-platform/lib/database';
import { enqueueAll, type JobsOptions } from '@case-platform/lib/jobs';
import type { RequestContext } from '@case-platform/lib/request-context';
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
  /** The message that it is about; the push is only sent while its recipient may read the message (`mayStillRead`). */
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
  /** The request that caused it. */
  request: RequestContext | undefined;
}

/**
 * Records and queues one push for each device of each person who has not turned the event off, once per key (PUSH-8): a trigger
 * leaves out a second delivery with a key. Each has its own record and job, so that a device that fails is retried by itself. A
 * device that has to subscribe again is skipped.
 */
export async function queuePushes(
  tx: Transaction,
  announcements: readonly PushAnnouncement[],
  options: JobsOptions<PushJob> = {},
): Promise<PushJob[]> {
  const pushes = announcements.map(({ event, message_id, ...push }) => ({
    payload: fitPayload({ ...DEFAULTS, ...push.payload }),
    urgent: findEvent(event)?.urgent === true,
    message_id,
  }));
  const rows = announcements.flatMap(({ key, event, to, request }, place) => {
    const row = { place, key, event, is_optional: isOptional(event, 'push'), request_id: request?.request_id };
    return to.map(({ id, user_type }) => ({ ...row, title: pushes[place]?.payload.title, user_id: id, user_type }));
  });
  if (rows.length === 0) return [];
  const deliveries = await query<Pick<PushJob, 'delivery_id' | 'subscription_id'> & { place: number }>(
    tx,
    sql`with device as materialized (
          select a.*, s.id as subscription_id, substring(s.endpoint from '^\\w+://([^/?#]+)') as host
            from json_to_recordset(${JSON.stringify(rows)}::json)
                   a (place int, key text, event text, is_optional boolean, request_id text, title text, user_id bigint, user_type text)
            join push_subscription s using (user_id, user_type)
           where s.renew_since is null
             and not (a.is_optional and exists (
                   select from notification_preference p
                    where p.user_id = s.user_id and p.event = a.event and p.channel = 'push' and not p.enabled))),
        recorded as (
          insert into delivery (delivery_key, channel, event, user_id, recipient, subject, request_id)
          select key || ':push:' || subscription_id, 'push', event, user_id, host, title, request_id
            from device order by place, subscription_id
          returning delivery_key, id)
        select r.id as delivery_id, d.subscription_id, d.place
          from recorded r join device d on r.delivery_key = d.key || ':push:' || d.subscription_id order by r.id`,
  );
  const jobs = deliveries.map(({ place, ...delivery }) => ({ ...delivery, ...(pushes[place] as (typeof pushes)[number]) }));
  const requests = deliveries.map(({ place }) => announcements[place]?.request);
  await enqueueAll(tx, 'deliver_push', jobs, { ...options, requests });
  return jobs;
}
