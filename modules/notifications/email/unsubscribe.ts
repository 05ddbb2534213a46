import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import { EVENTS, type EventName } from '../events.ts';
import { canTurnOff, setPreferences } from '../preferences.ts';

export interface Unsubscription {
  user_id: number;
  user_type: UserType;
  event: EventName;
  /** The kind of mail as the settings name it. */
  title: string;
  enabled: boolean;
}

export const UNSUBSCRIBE_PATH = '/api/notifications/unsubscribe';

/**
 * A token that lets a delivery's recipient turn off mails of its kind without signing in (RFC 8058, 3.1), or null for mails that
 * cannot be turned off. It works as long as the account exists, because people keep mails for years (EMAIL-14).
 */
export async function issueUnsubscribeToken(db: Executor, delivery_id: number): Promise<string | null> {
  const [delivery] = await query<{ user_id: number; user_type: UserType; event: string; key: Buffer | null }>(
    db,
    sql`select u.id as user_id, u.user_type, d.event, k.key
          from delivery d join user_account u on u.id = d.user_id left join unsubscribe_key k on k.user_id = u.id
         where d.id = ${delivery_id}`,
  );
  if (delivery === undefined || !canTurnOff(delivery, delivery.event, 'email')) return null;
  const { user_id, event } = delivery;
  return `${user_id}.${event}.${sign(delivery.key ?? (await makeKey(db, user_id)), event)}`;
}

/** Of two workers that need a key at the same time, both get the first one's. */
async function makeKey(db: Executor, user_id: number): Promise<Buffer> {
  const [row] = await query<{ key: Buffer }>(
    db,
    sql`insert into unsubscribe_key (user_id, key) values (${user_id}, ${randomBytes(32)})
        on conflict (user_id) do update set key = unsubscribe_key.key returning key`,
  );
  if (row === undefined) throw new Error('The key for unsubscribe links was not stored.');
  return row.key;
}

/** Returns the contents of a link, or null if it is not one of ours or its kind of mail can no longer be turned off. */
export async function findUnsubscription(db: Executor, token: string): Promise<Unsubscription | null> {
  const [, id = '', event = '', signature = ''] = /^(\d{1,15})\.([a-z_]{1,100})\.([\w-]{43})$/.exec(token) ?? [];
  if (id === '') return null;
  const [row] = await query<{ key: Buffer; user_id: number; user_type: UserType; enabled: boolean }>(
    db,
    sql`select k.key, u.id as user_id, u.user_type,
               not exists (select from notification_preference p
                            where p.user_id = u.id and p.event = ${event} and p.channel = 'email' and not p.enabled) as enabled
          from unsubscribe_key k join user_account u on u.id = k.user_id where k.user_id = ${Number(id)}`,
  );
  if (row === undefined) return null;
  const { key, ...person } = row;
  if (!timingSafeEqual(Buffer.from(sign(key, event)), Buffer.from(signature))) return null;
  if (!canTurnOff(person, event, 'email')) return null;
  return { ...person, event: event as EventName, title: EVENTS[event as EventName].title };
}

/** Turns a kind of mail off or on with its link; a repeat changes nothing. Returns null if the link is not one of ours. */
export async function setByUnsubscribeLink(db: Database, token: string, enabled: boolean): Promise<Unsubscription | null> {
  const unsubscription = await findUnsubscription(db, token);
  if (unsubscription === null) return null;
  const { user_id: id, user_type, event } = unsubscription;
  await setPreferences(db, { id, user_type }, [{ event, channel: 'email', enabled }]);
  return { ...unsubscription, enabled };
}

function sign(key: Buffer, event: string): string {
  return createHmac('sha256', key).update(`email:${event}`).digest('base64url');
}
