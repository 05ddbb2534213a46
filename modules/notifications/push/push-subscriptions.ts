import { createHash, ECDH } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { Person } from '../preferences.ts';
import { isAllowedEndpoint } from './push-endpoint.ts';
import { type PushSettings, vapidKeyId } from './vapid-keys.ts';

export interface SubscriptionInput {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  user_agent?: string;
  idempotencyKey?: string | undefined;
}

export interface Device {
  id: number;
  user_agent: string;
  /** True if it subscribed with a VAPID key that is no longer accepted; it gets nothing until it subscribes again (PUSH-12). */
  needs_renewal: boolean;
  /** True if its endpoint has the SHA-256 that the caller sent. */
  current: boolean;
  created_at: Date;
}

/** See PUSH-3. */
const SUBSCRIPTIONS_MAX = 16;
const USER_AGENT_MAX = 500;

/**
 * Stores one subscription per user type, user, and endpoint; subscribing again renews its keys (PUSH-1). An endpoint belongs to
 * the person who subscribed last, so that a shared browser does not show one person's notifications to another; the records of
 * one person keep their own (PUSH-13).
 * @throws {InvalidInputError} for an endpoint outside the known push services, or malformed keys.
 * @throws {ConflictError} above sixteen devices. @throws as `withIdempotencyKey`.
 */
export async function subscribe(
  context: { db: Database; push: PushSettings },
  user: Person,
  { idempotencyKey: key, ...input }: SubscriptionInput,
): Promise<number> {
  const { endpoint, keys } = input;
  if (!isAllowedEndpoint(endpoint, context.push.allowedHosts, context.push.production)) {
    throw invalid('endpoint', 'endpoint is not the address of a known push service.');
  }
  requireValidKeys(keys);
  const hashRequest = () => hashOf(['subscribe', endpoint, keys.p256dh, keys.auth]);
  const { id } = await writeOnce(context.db, { userId: user.id, key, hashRequest }, async (tx) => {
    return { id: await store(tx, context.push, user, input) };
  });
  return id;
}

async function store(
  tx: Transaction,
  push: PushSettings,
  user: Person,
  { endpoint, keys, user_agent = '' }: SubscriptionInput,
): Promise<number> {
  await query(tx, sql`select pg_advisory_xact_lock(hashtextextended(${endpoint}, 0))`);
  await query(tx, sql`select id from user_account where id = ${user.id} for update`);
  // A device with a key that was dropped a month ago has subscribed again, or will never return.
  await query(
    tx,
    sql`delete from push_subscription s using user_account u
           where u.id = s.user_id
             and ((s.endpoint = ${endpoint} and u.id <> all (${recordsOf(user)}))
               or (s.user_id = ${user.id} and s.endpoint <> ${endpoint}
                   and s.renew_since < now() - interval '30 days'))`,
  );
  const [row] = await query<{ id: number; devices: number }>(
    tx,
    sql`insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id, user_agent)
          values (${user.user_type}, ${user.id}, ${endpoint}, ${keys.p256dh}, ${keys.auth},
                  ${vapidKeyId(push.publicKey)}, ${user_agent.slice(0, USER_AGENT_MAX)})
          on conflict (user_type, user_id, endpoint) do update
             set p256dh = excluded.p256dh, auth = excluded.auth, vapid_key_id = excluded.vapid_key_id,
                 user_agent = excluded.user_agent, renew_since = null
          returning id, (select count(*) from push_subscription
                          where user_id = ${user.id} and endpoint <> ${endpoint}) as devices`,
  );
  if (row === undefined) throw new Error('the subscription was not stored');
  if (row.devices >= SUBSCRIPTIONS_MAX) {
    throw new ConflictError('Notifications are already on for 16 devices. Turn one off first.', 'too_many_devices');
  }
  return row.id;
}

/** The ids of all records of this person, as an array. As a subquery it runs once per statement. */
const recordsOf = ({ id }: Pick<Person, 'id'>): Sql => sql`(select person_records(${id}))::bigint[]`;

function hashOf(request: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
}

/** Requires an uncompressed point on P-256 and 16 bytes, in base64url (RFC 8291, 3.1 and 3.2). */
function requireValidKeys({ p256dh, auth }: SubscriptionInput['keys']): void {
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

/** Deletes all of the user's subscriptions (PUSH-2). @returns their number. */
export async function unsubscribeAll(db: Database, user: Person, key?: string): Promise<number> {
  const hashRequest = () => hashOf(['unsubscribe']);
  const { deleted } = await writeOnce(db, { userId: user.id, key, hashRequest }, async (tx) => {
    const rows = await query(tx, sql`delete from push_subscription where user_id = ${user.id} returning id`);
    return { deleted: rows.length };
  });
  return deleted;
}

/**
 * Lists a person's devices, newest first.
 * @param endpointDigest the SHA-256 of the calling browser's endpoint in hexadecimal, which marks the current device. The
 * endpoint itself must not appear in access logs, because anyone who knows it can send to it.
 */
export function listDevices(db: Database, user: Person, endpointDigest = ''): Promise<Device[]> {
  return query<Device>(
    db,
    sql`select id, user_agent, renew_since is not null as needs_renewal, created_at,
               encode(sha256(convert_to(endpoint, 'UTF8')), 'hex') = lower(${endpointDigest}) as current
          from push_subscription where user_id = ${user.id} order by id desc`,
  );
}

/** True if another record of the same person uses the browser with this endpoint, so that its subscription must stay. */
export async function isSharedDevice(db: Database, user: Person, endpointDigest: string): Promise<boolean> {
  const rows = await query(
    db,
    sql`select from push_subscription
         where user_id = any (${recordsOf(user)}) and user_id <> ${user.id}
           and encode(sha256(convert_to(endpoint, 'UTF8')), 'hex') = lower(${endpointDigest}) limit 1`,
  );
  return rows.length > 0;
}

/** @throws {NotFoundError} if the device does not exist, or is not theirs. */
export async function removeDevice(db: Database, user: Person, id: number): Promise<void> {
  const rows = await query(db, sql`delete from push_subscription where id = ${id} and user_id = ${user.id} returning id`);
  if (rows.length === 0) throw new NotFoundError();
}
