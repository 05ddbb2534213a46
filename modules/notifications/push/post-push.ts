import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { lookupPublic } from './push-endpoint.ts';
import type { PushPayload } from './push-payload.ts';
import type { VapidPair } from './vapid-keys.ts';

const SEND_WITHIN_MS = 10_000;
/** Seconds that a push service keeps a message for a device that is off. */
const KEEP_SECONDS = 24 * 3600;
const TOPIC_LENGTH = 32;
const CONNECTIONS = { keepAlive: true, maxSockets: 50, maxFreeSockets: 10, timeout: SEND_WITHIN_MS };
const agents = { 'https:': new https.Agent(CONNECTIONS), 'http:': new http.Agent(CONNECTIONS) };

/** Where a device receives pushes, and the keys that its pushes are encrypted with. */
export interface PushKeys {
  endpoint: string;
  p256dh: string;
  auth: string;
}

interface PushRequest {
  payload: PushPayload;
  urgent: boolean;
  subject: string;
  pair: VapidPair;
  giveUpAfterMs?: number | undefined;
}

export interface PushAnswer {
  status: number;
  /** The header of this name. */
  retryAfter: string | undefined;
}

/**
 * Encrypts (RFC 8291), signs (RFC 8292), and posts (RFC 8030) without following redirects, and gives up after ten seconds by
 * default. The topic is derived from the tag, so that a device that was off gets only the last push with a tag.
 */
export async function postPush(subscription: PushKeys, push: PushRequest): Promise<PushAnswer> {
  const { payload, urgent, subject, pair, giveUpAfterMs = SEND_WITHIN_MS } = push;
  const { endpoint, p256dh, auth } = subscription;
  // Loaded with the first push, because few processes send any.
  const { default: webpush } = await import('web-push');
  const { headers, body } = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(payload), {
    vapidDetails: { subject, ...pair },
    TTL: KEEP_SECONDS,
    urgency: urgent ? 'high' : 'normal',
    topic: createHash('sha256').update(payload.tag).digest('base64url').slice(0, TOPIC_LENGTH),
  });
  return post(new URL(endpoint), headers as Record<string, string>, body ?? Buffer.alloc(0), AbortSignal.timeout(giveUpAfterMs));
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
