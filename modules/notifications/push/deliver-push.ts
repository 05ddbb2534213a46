import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { isTemporary } from '@case-platform/words/retry-after';
import { beginAttempt, endAttempt, endFailure } from '../deliveries.ts';
import { temporaryFailure } from '../provider-answers.ts';
import { InsideAddressError, isAllowedEndpoint, lookupPublic } from './push-endpoint.ts';
import type { PushPayload } from './push-payload.ts';
import type { PushJob } from './queue-push.ts';
import { findVapidPair, type PushSettings, type VapidPair, vapidKeyId } from './vapid-keys.ts';

const SEND_WITHIN_MS = 10_000;
/** The push service keeps a message this long for a device that is off. */
const KEEP_SECONDS = 24 * 3600;
const TOPIC_LENGTH = 32;
const CONNECTIONS = { keepAlive: true, maxSockets: 50, maxFreeSockets: 10, timeout: SEND_WITHIN_MS };
const agents = { 'https:': new https.Agent(CONNECTIONS), 'http:': new http.Agent(CONNECTIONS) };

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
    return refuse(context, job, 'The push service is not on the list of allowed hosts.');
  }
  const pair = findVapidPair(push, subscription.vapid_key_id);
  if (pair === undefined) return markForRenewal(context, job, subscription, 'Its key is no longer accepted.');
  const { payload, urgent = false } = job;
  const { subject, giveUpAfterMs } = push;
  const answer = await postPush(subscription, { payload, urgent, subject, pair, giveUpAfterMs }).catch(
    (error: Error) => error,
  );
  return endPush(context, job, subscription, answer);
}

interface PushRequest {
  payload: PushPayload;
  urgent: boolean;
  subject: string;
  pair: VapidPair;
  giveUpAfterMs?: number | undefined;
}

interface PushAnswer {
  status: number;
  retryAfter: string | undefined;
}

/**
 * Encrypts (RFC 8291), signs (RFC 8292), and posts (RFC 8030) without following redirects, and gives up after ten seconds by
 * default. The topic is derived from the tag, so that a device that was off gets only the last push with a tag.
 */
async function postPush(subscription: Subscription, push: PushRequest): Promise<PushAnswer> {
  const { payload, urgent, subject, pair, giveUpAfterMs = SEND_WITHIN_MS } = push;
  const { endpoint, p256dh, auth } = subscription;
  // Loaded with the first push, because few processes send any.
  const { default: webpush } = await import('web-push');
  const { headers, body } = webpush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject, ...pair },
      TTL: KEEP_SECONDS,
      urgency: urgent ? 'high' : 'normal',
      topic: createHash('sha256').update(payload.tag).digest('base64url').slice(0, TOPIC_LENGTH),
    },
  );
  return post(
    new URL(endpoint),
    headers as Record<string, string>,
    body ?? Buffer.alloc(0),
    AbortSignal.timeout(giveUpAfterMs),
  );
}

function post(url: URL, headers: Record<string, string>, body: Buffer, signal: AbortSignal): Promise<PushAnswer> {
  const { request } = url.protocol === 'https:' ? https : http;
  const agent = agents[url.protocol as keyof typeof agents];
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers, agent, lookup: lookupPublic, signal }, (response) => {
      response.on('error', () => {}).resume();
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
    });
    call.on('error', (error) => reject(signal.aborted ? new Error('The push service did not answer in time.') : error));
    call.end(body);
  });
}

async function endPush(
  context: PushContext,
  job: PushJob,
  subscription: Subscription,
  answer: PushAnswer | Error,
): Promise<PushOutcome> {
  const { db, push } = context;
  if (answer instanceof InsideAddressError) return refuse(context, job, answer.message);
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
  if (!isTemporary(status)) return refuse(context, job, `The push service refused the message (${status}).`);
  return tryAgain(context, job, temporaryFailure(`The push service answered ${status}.`, retryAfter));
}

async function refuse({ db }: PushContext, job: PushJob, error: string): Promise<PushOutcome> {
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
  return refuse(context, job, `The device has to turn notifications on again. ${why}`);
}

async function removeDevice(context: PushContext, job: PushJob, { id, endpoint }: Subscription, status: number) {
  await query(context.db, sql`delete from push_subscription where id = ${id} and endpoint = ${endpoint}`);
  await refuse(context, job, `The device is gone (${status}); its subscription was removed.`);
  return 'removed' as const;
}
