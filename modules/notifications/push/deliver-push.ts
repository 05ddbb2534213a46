import type { Database } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { isTemporary } from '@case-platform/words/retry-after';
import { ATTEMPT_FACTS, type AttemptFacts, endAttempt, endFailure, maySend } from '../deliveries.ts';
import { temporaryFailure } from '../provider-answers.ts';
import { type PushKeys, postPush } from './post-push.ts';
import { InsideAddressError, isAllowedEndpoint } from './push-endpoint.ts';
import type { PushJob } from './queue-push.ts';
import { findVapidPair, type PushSettings, vapidKeyId } from './vapid-keys.ts';

interface Subscription extends PushKeys {
  id: number;
  vapid_key_id: string;
}

/** `removed` means that the device is gone and its subscription was deleted. */
export type PushOutcome = 'sent' | 'failed' | 'removed';

/** A final result. An outdated subscription stays until the device renews it on its next visit (PUSH-12). */
interface Result {
  outcome: PushOutcome;
  error?: string;
  isOutdated?: true;
}

/**
 * Sends one push to one device, outside of any transaction. 404 and 410 delete exactly that subscription (PUSH-6). Other
 * rejections of the request are final; anything else is thrown, so that the job runs again after the push service's
 * `Retry-After`, until `lastAttempt` (PUSH-7).
 * @param mayRead a condition on `delivery d`: its recipient may still read what it is about.
 */
export async function deliverPush(
  { db, push, lastAttempt }: { db: Database; push: PushSettings; lastAttempt: boolean },
  job: PushJob,
  mayRead: Sql = sql`true`,
): Promise<PushOutcome> {
  const [delivery] = await query<AttemptFacts & { subscription: Subscription | null }>(
    db,
    sql`select ${ATTEMPT_FACTS}, ${mayRead} as may_read,
               (select json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth,
                                         'vapid_key_id', s.vapid_key_id)
                  from push_subscription s where s.id = ${job.subscription_id}) as subscription
          from delivery d where d.id = ${job.delivery_id} and d.state = 'queued'`,
  );
  if (delivery === undefined || !(await maySend(db, job, delivery))) return 'failed';
  const { subscription } = delivery;
  if (subscription === null) {
    await endAttempt(db, job, { state: 'suppressed', error: 'The device was unsubscribed.' });
    return 'removed';
  }
  const { id, endpoint, vapid_key_id } = subscription;
  const result = await send(push, subscription, job);
  if (result instanceof Error) {
    await endFailure({ db, lastAttempt }, job, { error: result, permanent: false });
    return 'failed';
  }
  const { outcome, error, isOutdated = false } = result;
  if (outcome === 'removed') await query(db, sql`delete from push_subscription where id = ${id} and endpoint = ${endpoint}`);
  if (isOutdated)
    await query(
      db,
      sql`update push_subscription set renew_since = coalesce(renew_since, now())
           where id = ${id} and vapid_key_id = ${vapid_key_id}`,
    );
  await endAttempt(db, job, { state: outcome === 'removed' ? 'failed' : outcome, error });
  return outcome;
}

/** Calls the push service. @returns an error if the push should be tried again. */
async function send(push: PushSettings, subscription: Subscription, { payload, urgent }: PushJob): Promise<Result | Error> {
  const { endpoint, vapid_key_id } = subscription;
  if (!isAllowedEndpoint(endpoint, push.allowedHosts, push.production))
    return { outcome: 'failed', error: 'The push service is not on the list of allowed hosts.' };
  const pair = findVapidPair(push, vapid_key_id);
  if (pair === undefined) return outdated('Its key is no longer accepted.');
  const { subject, giveUpAfterMs } = push;
  const answer = await postPush(subscription, { payload, urgent, subject, pair, giveUpAfterMs }).catch((error: Error) => error);
  if (answer instanceof InsideAddressError) return { outcome: 'failed', error: answer.message };
  if (answer instanceof Error) return answer;
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  if (status === 404 || status === 410)
    return { outcome: 'removed', error: `The device is gone (${status}); its subscription was removed.` };
  // Push services answer a rotated VAPID key with 400 or 403, never with 410.
  if ([400, 401, 403].includes(status) && vapid_key_id !== vapidKeyId(push.publicKey))
    return outdated(`The push service refused its key (${status}).`);
  if (isTemporary(status)) return temporaryFailure(`The push service answered ${status}.`, retryAfter);
  return { outcome: 'failed', error: `The push service refused the message (${status}).` };
}

function outdated(why: string): Result {
  return { outcome: 'failed', isOutdated: true, error: `The device has to turn notifications on again. ${why}` };
}
