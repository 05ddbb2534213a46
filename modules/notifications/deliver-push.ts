import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import webpush from 'web-push';
import { beginAttempt, endAttempt, type PushJob, type PushPayload } from './deliveries.ts';
import { isAllowedEndpoint } from './push-endpoint.ts';

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

/** How a push to one device ended; `removed`: the device is gone, and so is its subscription. */
export type PushOutcome = 'sent' | 'failed' | 'removed';

/**
 * Sends one push to one device, with no transaction open meanwhile. 404 and 410 remove exactly that subscription
 * ('Push subscription behaviour' 3); other refusals of the request itself are final; the rest is thrown and tried again.
 */
export async function deliverPush(
  context: { db: Database; push: PushSettings; lastAttempt: boolean },
  job: PushJob,
): Promise<PushOutcome> {
  const { db, push, lastAttempt } = context;
  if (!(await beginAttempt(db, job.delivery_id))) return 'sent';
  const [subscription] = await run<Subscription>(
    db,
    'select id, endpoint, p256dh, auth from push_subscription where id = $1',
    [job.subscription_id],
  );
  if (subscription === undefined) {
    await endAttempt(db, job.delivery_id, { state: 'suppressed', error: 'The device was unsubscribed.' });
    return 'removed';
  }
  const fail = async (error: string, outcome: PushOutcome = 'failed') => {
    await endAttempt(db, job.delivery_id, { state: 'failed', error });
    return outcome;
  };
  if (!isAllowedEndpoint(subscription.endpoint, push.allowedHosts, push.production)) {
    return fail('The push service is not on the list of allowed hosts.');
  }
  const status = await sendPush(push, subscription, job.payload).catch((error: Error) => error);
  if (status === 201 || status === 200 || status === 202) {
    await endAttempt(db, job.delivery_id, { state: 'sent' });
    return 'sent';
  }
  if (status === 404 || status === 410) {
    const { id, endpoint } = subscription;
    await run(db, 'delete from push_subscription where id = $1 and endpoint = $2', [id, endpoint]);
    return fail(`The device is gone (${status}); its subscription was removed.`, 'removed');
  }
  if (typeof status === 'number' && status < 500 && status !== 429) {
    return fail(`The push service refused the message (${status}).`);
  }
  const error = typeof status === 'number' ? `The push service answered ${status}.` : status.message;
  await endAttempt(db, job.delivery_id, { state: lastAttempt ? 'failed' : 'queued', error });
  throw new Error(error);
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
