import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import webpush from 'web-push';
import { beginAttempt, endAttempt, type PushPayload } from './deliveries.ts';
import { isAllowedEndpoint } from './push-subscriptions.ts';

export interface PushSettings {
  publicKey: string;
  privateKey: string;
  subject: string;
  allowedHosts: readonly string[];
  production: boolean;
}

interface Subscription {
  id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
}

const SEND_WITHIN_MS = 10_000;
/** Seconds that a push service keeps a message for a device that is off. */
const KEEP_SECONDS = 24 * 3600;

/**
 * Sends one push to one device, with no transaction open meanwhile. 404 and 410 remove exactly that subscription
 * ('Push subscription behaviour' 3); other refusals of the request itself are final; the rest is thrown and tried again.
 */
export async function deliverPush(
  context: { db: Database; push: PushSettings; lastAttempt: boolean },
  job: { delivery_id: number; subscription_id: number; payload: PushPayload },
): Promise<void> {
  const { db, push, lastAttempt } = context;
  if (!(await beginAttempt(db, job.delivery_id))) return;
  const [subscription] = await run<Subscription>(
    db,
    'select id, endpoint, p256dh, auth from push_subscription where id = $1',
    [job.subscription_id],
  );
  if (subscription === undefined) {
    await endAttempt(db, job.delivery_id, { state: 'suppressed', error: 'The device was unsubscribed.' });
    return;
  }
  const failed = (error: string) => endAttempt(db, job.delivery_id, { state: 'failed', error });
  if (!isAllowedEndpoint(subscription.endpoint, push.allowedHosts, push.production)) {
    await failed('The push service is not on the list of allowed hosts.');
    return;
  }
  const status = await sendPush(push, subscription, job.payload).catch((error: Error) => error);
  if (status === 201 || status === 200 || status === 202) {
    await endAttempt(db, job.delivery_id, { state: 'sent' });
  } else if (status === 404 || status === 410) {
    await run(db, 'delete from push_subscription where id = $1 and endpoint = $2', [
      subscription.id,
      subscription.endpoint,
    ]);
    await failed(`The device is gone (${status}); its subscription was removed.`);
  } else if (typeof status === 'number' && status >= 400 && status < 500 && status !== 429) {
    await failed(`The push service refused the message (${status}).`);
  } else {
    const error = typeof status === 'number' ? `The push service answered ${status}.` : status.message;
    await endAttempt(db, job.delivery_id, { state: lastAttempt ? 'failed' : 'queued', error });
    throw new Error(error);
  }
}

/** Encrypts (RFC 8291), signs (RFC 8292) and posts; follows no redirect. Returns the status of the answer. */
async function sendPush(push: PushSettings, subscription: Subscription, payload: PushPayload): Promise<number> {
  const request = webpush.generateRequestDetails(
    { endpoint: subscription.endpoint, keys: { p256dh: subscription.p256dh, auth: subscription.auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject: push.subject, publicKey: push.publicKey, privateKey: push.privateKey },
      TTL: KEEP_SECONDS,
      urgency: 'high',
    },
  );
  const response = await fetch(request.endpoint, {
    method: 'POST',
    headers: request.headers as Record<string, string>,
    body: new Uint8Array(request.body ?? []),
    redirect: 'manual',
    signal: AbortSignal.timeout(SEND_WITHIN_MS),
  });
  await response.body?.cancel();
  return response.status;
}
