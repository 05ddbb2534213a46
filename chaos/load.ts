import { createECDH, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const GIVE_UP_AFTER_MS = 10_000;
const WRITE_WITHIN_MS = 60_000;

/** A killed process leaves the key of its request in flight for two minutes, which is too long to wait. */
const KEY_IN_FLIGHT_MS = 2000;

/**
 * Repeats a request, at the next of these addresses each time, until the answer is not about an outage, so the request must be
 * repeatable. Returns null when the time is over, or when an earlier try with an unknown result still has the key in flight.
 */
export async function insist(urls: string | readonly string[], init: RequestInit, untilMs: number): Promise<Response | null> {
  let end = untilMs;
  let held = false;
  const all = [urls].flat();
  for (let tries = randomInt(all.length); performance.now() < end; tries += 1) {
    try {
      const response = await fetch(all[tries % all.length] as string, { ...init, signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) });
      if (response.status < 500 && response.status !== 409) return response;
      if (response.status === 409 && !held) end = Math.min(end, performance.now() + KEY_IN_FLIGHT_MS);
      held ||= response.status === 409;
      await response.body?.cancel();
    } catch {
      // The process is away or was killed while it answered, so the request is sent again with the same key.
    }
    await sleep(100);
  }
  return null;
}

export async function signIn(api: string, email_address: string, user_type: string, untilMs: number) {
  const body = JSON.stringify({ email_address, user_type, pass_hash: 'Demo-Passw0rd!' });
  const headers = { 'content-type': 'application/json' };
  const response = await insist(`${api}/api/user/auth/login`, { method: 'POST', body, headers }, untilMs);
  if (response?.status !== 200) throw new Error(`signing in was answered with ${response?.status}`);
  const { access_token } = (await response.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

export async function subscribe(api: string, headers: Record<string, string>, endpoint: string, untilMs: number) {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const keys = { p256dh, auth: randomBytes(16).toString('base64url') };
  const body = JSON.stringify({ enabled: true, endpoint, keys });
  const all = { ...headers, 'content-type': 'application/json' };
  const response = await insist(`${api}/api/notifications/subscribe`, { method: 'POST', body, headers: all }, untilMs);
  if (response?.status !== 200) throw new Error(`subscribing was answered with ${response?.status}`);
}

/**
 * Writes to the escrow specialist, in a new conversation if none is named. @param apis the addresses of all API processes.
 * @returns the message's ids once it was acknowledged, or null
 */
export async function write(apis: readonly string[], headers: Record<string, string>, chainId?: number) {
  const key = randomUUID();
  const body = new FormData();
  body.set('message', `Message ${key}`);
  const all = { ...headers, 'idempotency-key': key };
  const response = await insist(
    apis.map((api) => `${api}/api/messages${chainId === undefined ? '' : `/${chainId}`}`),
    { method: 'POST', body, headers: all },
    performance.now() + WRITE_WITHIN_MS,
  );
  if (response === null) return null;
  if (response.status !== 201) throw new Error(`writing was answered with ${response.status}: ${await response.text()}`);
  const { message } = (await response.json()) as { message: { id: number; chain_id: number } };
  return message;
}
