import { createHash, ECDH } from 'node:crypto';
import { isIP } from 'node:net';
import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import type { PushSettings } from './deliver-push.ts';

export interface SubscriptionInput {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

/** Devices a user may have at most (decisions, section 7). */
const SUBSCRIPTIONS_MAX = 16;

/** What a VAPID public key is called on the subscriptions made with it. */
export function vapidKeyId(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('base64url').slice(0, 12);
}

/**
 * Whether a push may be sent to this address: https on a listed host. Outside production a loopback host may be listed
 * (as `127.0.0.1` or `localhost`); plain http is then accepted for it. Anything else could make the server call inside
 * addresses on a stranger's behalf.
 */
export function isAllowedEndpoint(endpoint: string, allowedHosts: readonly string[], production: boolean): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, username, password, port } = new URL(endpoint);
  if (username !== '' || password !== '') return false;
  const loopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const listed = allowedHosts.some((host) => matchesHost(hostname, host));
  if (loopback) return listed && !production && (protocol === 'https:' || protocol === 'http:');
  return listed && protocol === 'https:' && port === '' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

function matchesHost(hostname: string, pattern: string): boolean {
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1)) && hostname.length > pattern.length - 1;
  return hostname === pattern;
}

/**
 * Stores one record per (user_type, user_id, endpoint); the same again renews its keys. An endpoint belongs to the person
 * who subscribed last: a browser that two people share must not show one's notifications to the other.
 * @throws {InvalidInputError} for an endpoint that is not a known push service's, or malformed keys.
 * @throws {ConflictError} beyond sixteen devices.
 */
export async function subscribe(
  context: { db: Database; push: PushSettings },
  user: User,
  { endpoint, keys }: SubscriptionInput,
): Promise<number> {
  if (!isAllowedEndpoint(endpoint, context.push.allowedHosts, context.push.production)) {
    throw invalid('endpoint', 'endpoint is not the address of a known push service.');
  }
  checkKeys(keys);
  return context.db.transaction().execute(async (tx) => {
    await run(tx, 'select id from user_account where id = $1 for update', [user.id]);
    await run(tx, 'delete from push_subscription where endpoint = $1 and user_id <> $2', [endpoint, user.id]);
    const [row] = await run<{ id: number; devices: number }>(
      tx,
      `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (user_type, user_id, endpoint) do update
          set p256dh = excluded.p256dh, auth = excluded.auth, vapid_key_id = excluded.vapid_key_id
       returning id, (select count(*) from push_subscription where user_id = $2 and endpoint <> $3) as devices`,
      [user.user_type, user.id, endpoint, keys.p256dh, keys.auth, vapidKeyId(context.push.publicKey)],
    );
    if (row === undefined) throw new Error('subscription was not stored');
    if (row.devices >= SUBSCRIPTIONS_MAX) {
      throw new ConflictError('Notifications are on for 16 devices already. Turn one off first.', 'too_many_devices');
    }
    return row.id;
  });
}

/** An uncompressed point on P-256 and 16 bytes, in base64url (RFC 8291, 3.1 and 3.2). */
function checkKeys({ p256dh, auth }: SubscriptionInput['keys']): void {
  if (!isPublicKey(Buffer.from(p256dh, 'base64url'))) {
    throw invalid('keys.p256dh', 'keys.p256dh is not a P-256 public key.');
  }
  if (Buffer.from(auth, 'base64url').length !== 16) throw invalid('keys.auth', 'keys.auth is not 16 bytes.');
}

function isPublicKey(point: Buffer): boolean {
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    ECDH.convertKey(point, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** Deletes all of the user's subscriptions ('Push subscription behaviour' 2), and says how many there were. */
export async function unsubscribeAll(db: Database, user: User): Promise<number> {
  const rows = await run(db, 'delete from push_subscription where user_id = $1 returning id', [user.id]);
  return rows.length;
}
