import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { isTemporary } from '@case-platform/words/retry-after';
import { beginAttempt, endAttempt, endFailure } from '../deliveries.ts';
import { temporaryFailure } from '../provider-answers.ts';
import { type PushAnswer, postPush } from './post-push.ts';
import { InsideAddressError, isAllowedEndpoint } from './push-endpoint.ts';
import type { PushJob } from './queue-push.ts';
import { findVapidPair, type PushSettings, vapidKeyId } from './vapid-keys.ts';

interface Subscription {
  id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
  vapid_key_id: string;
}

interface PushContext {
  db: Database;
  push: PushSettings;
  lastAttempt: boolean;
}

/** `removed` means that the device is gone and its subscription was deleted. */
export type PushOutcome = 'sent' | 'failed' | 'removed';

/**
 * Sends one push to one device, outside of any transaction. 404 and 410 delete exactly that subscription (PUSH-6). Other
 * rejections of the request are final; anything else is thrown, so that the job runs again after the push service's
 * `Retry-After`, until `lastAttempt` (PUSH-7).
 */
export async function deliverPush(context: PushContext, job: PushJob): Promise<PushOutcome> {
  const { db, push } = context;
  if (!(await beginAttempt(db, job))) return 'failed';
  const [subscription] = await query<Subscription>(
    db,
    sql`select id, endpoint, p256dh, auth, vapid_key_id from push_subscription where id = ${job.subscription_id}`,
  );
  if (subscription === undefined) {
    await endAttempt(db, job, { state: 'suppressed', error: 'The device was unsubscribed.' });
    return 'removed';
  }
  if (!isAllowedEndpoint(subscription.endpoint, push.allowedHosts, push.production)) {
    return failPush(context, job, 'The push service is not on the list of allowed hosts.');
  }
  const pair = findVapidPair(push, subscription.vapid_key_id);
  if (pair === undefined) return markForRenewal(context, job, subscription, 'Its key is no longer accepted.');
  const { payload, urgent = false } = job;
  const { subject, giveUpAfterMs } = push;
  const answer = await postPush(subscription, { payload, urgent, subject, pair, giveUpAfterMs }).catch((error: Error) => error);
  return endPush(context, job, subscription, answer);
}

/** Records the outcome of the call, and acts on the answer. */
async function endPush(
  context: PushContext,
  job: PushJob,
  subscription: Subscription,
  answer: PushAnswer | Error,
): Promise<PushOutcome> {
  const { db, push } = context;
  if (answer instanceof InsideAddressError) return failPush(context, job, answer.message);
  if (answer instanceof Error) return tryAgain(context, job, answer);
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) {
    await endAttempt(db, job, { state: 'sent' });
    return 'sent';
  }
  if (status === 404 || status === 410) return removeDevice(context, job, subscription, status);
  const outdated = subscription.vapid_key_id !== vapidKeyId(push.publicKey);
  if (outdated && (status === 400 || status === 401 || status === 403)) {
    return markForRenewal(context, job, subscription, `The push service refused its key (${status}).`);
  }
  if (!isTemporary(status)) return failPush(context, job, `The push service refused the message (${status}).`);
  return tryAgain(context, job, temporaryFailure(`The push service answered ${status}.`, retryAfter));
}

async function failPush({ db }: PushContext, job: PushJob, error: string): Promise<PushOutcome> {
  await endAttempt(db, job, { state: 'failed', error });
  return 'failed';
}

async function tryAgain(context: PushContext, job: PushJob, error: Error): Promise<PushOutcome> {
  await endFailure(context, job, { error, permanent: false });
  return 'failed';
}

/**
 * Push services answer a rotated VAPID key with 400 or 403, never with 410, so the subscription stays until the device renews it
 * on its next visit (PUSH-12).
 */
async function markForRenewal(context: PushContext, job: PushJob, { id, vapid_key_id }: Subscription, why: string) {
  await query(
    context.db,
    sql`update push_subscription set renew_since = coalesce(renew_since, now()) where id = ${id}
           and vapid_key_id = ${vapid_key_id}`,
  );
  return failPush(context, job, `The device has to turn notifications on again. ${why}`);
}

async function removeDevice(context: PushContext, job: PushJob, { id, endpoint }: Subscription, status: number) {
  await query(context.db, sql`delete from push_subscription where id = ${id} and endpoint = ${endpoint}`);
  await failPush(context, job, `The device is gone (${status}); its subscription was removed.`);
  return 'removed' as const;
}
