import { createHash, ECDH } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { answerIdempotencyKey, withIdempotencyKey } from '@case-platform/lib/idempotency';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { Person } from '../preferences.ts';
import { isAllowedEndpoint } from './push-endpoint.ts';
import { type PushSettings, vapidKeyId } from './vapid-keys.ts';

export interface SubscriptionInput {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  /** What the browser calls itself. */
  user_agent?: string;
  idempotencyKey?: string | undefined;
}

/** One of a person's devices. */
export interface Device {
  id: number;
  user_agent: string;
  /** Subscribed with a VAPID key that is no longer accepted: gets nothing until it subscribes again. */
  needs_renewal: boolean;
  /** Whether its endpoint is the one whose SHA-256 the asker gave. */
  current: boolean;
  created_at: Date;
}

/** The most devices that a user may have (PUSH-3). */
const SUBSCRIPTIONS_MAX = 16;
const USER_AGENT_MAX = 500;

/**
 * Stores one record per (user_type, user_id, endpoint); the same again renews its keys. Somebody who has several records
 * gets what each of them is sent (PUSH-13). Otherwise an endpoint belongs to the person who subscribed last: a
 * browser that two people share must not show one's notifications to the other.
 * @throws {InvalidInputError} for an endpoint that is not a known push service's, or malformed keys.
 * @throws {ConflictError} beyond sixteen devices. @throws as `withIdempotencyKey`.
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
  checkKeys(keys);
  const hashRequest = () => hashOf(['subscribe', endpoint, keys.p256dh, keys.auth]);
  const { id } = await withIdempotencyKey(context.db, { userId: user.id, key, hashRequest }, (claim) =>
    context.db.transaction(async (tx) => {
      const answer = { id: await store(tx, context.push, user, input) };
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, answer);
      return answer;
    }),
  );
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
  // Devices of a key that is gone for a month have subscribed anew, or will never be back.
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
  if (row === undefined) throw new Error('subscription was not stored');
  if (row.devices >= SUBSCRIPTIONS_MAX) {
    throw new ConflictError('Notifications are already on for 16 devices. Turn one off first.', 'too_many_devices');
  }
  return row.id;
}

/** The records of the person whose record this is, looked up once a statement. An array of ids. */
const recordsOf = ({ id }: Pick<Person, 'id'>): Sql => sql`(select person_records(${id}))::bigint[]`;

function hashOf(request: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
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
export async function unsubscribeAll(db: Database, user: Person, key?: string): Promise<number> {
  const hashRequest = () => hashOf(['unsubscribe']);
  const { deleted } = await withIdempotencyKey(db, { userId: user.id, key, hashRequest }, (claim) =>
    db.transaction(async (tx) => {
      const rows = await query(tx, sql`delete from push_subscription where user_id = ${user.id} returning id`);
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, { deleted: rows.length });
      return { deleted: rows.length };
    }),
  );
  return deleted;
}

/**
 * A person's devices, newest first.
 * @param endpointDigest SHA-256, in hexadecimal, of the asking browser's own endpoint: which of them it is. The endpoint
 *   itself would let whoever reads an access log send to it.
 */
export function listDevices(db: Database, user: Person, endpointDigest = ''): Promise<Device[]> {
  return query<Device>(
    db,
    sql`select id, user_agent, renew_since is not null as needs_renewal, created_at,
               encode(sha256(convert_to(endpoint, 'UTF8')), 'hex') = lower(${endpointDigest}) as current
          from push_subscription where user_id = ${user.id} order by id desc`,
  );
}

/**
 * Whether another record of the same person has the browser with this endpoint too: it is not theirs to take away.
 */
export async function isSharedDevice(db: Database, user: Person, endpointDigest: string): Promise<boolean> {
  const rows = await query(
    db,
    sql`select from push_subscription
         where user_id = any (${recordsOf(user)}) and user_id <> ${user.id}
           and encode(sha256(convert_to(endpoint, 'UTF8')), 'hex') = lower(${endpointDigest}) limit 1`,
  );
  return rows.length > 0;
}

/**
 * Removes one of a person's devices.
 * @throws {NotFoundError} when it is not theirs, or gone.
 */
export async function removeDevice(db: Database, user: Person, id: number): Promise<void> {
  const rows = await query(
    db,
    sql`delete from push_subscription where id = ${id} and user_id = ${user.id} returning id`,
  );
  if (rows.length === 0) throw new NotFoundError();
}
