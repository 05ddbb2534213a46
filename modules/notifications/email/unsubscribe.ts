import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import { EVENTS, type EventName } from '../events.ts';
import { maySwitchOff, setPreferences } from '../preferences.ts';

/** What the link of a mail is about: one kind of mail to one person. */
export interface Unsubscription {
  user_id: number;
  user_type: UserType;
  event: EventName;
  /** What people call the kind. */
  title: string;
  /** Whether the person gets these mails now. */
  enabled: boolean;
}

/** Where the link of a mail leads. */
export const UNSUBSCRIBE_PATH = '/api/notifications/unsubscribe';

/**
 * The token by which a delivery's recipient switches mails of its kind off, without signing in (RFC 8058, 3.1); null for what
 * people must get. It ends with the account alone: mails are kept for years.
 */
export async function issueUnsubscribeToken(db: Executor, delivery_id: number): Promise<string | null> {
  const [delivery] = await query<{ user_id: number; user_type: UserType; event: string; key: Buffer | null }>(
    db,
    sql`select u.id as user_id, u.user_type, d.event, k.key
          from delivery d join user_account u on u.id = d.user_id left join unsubscribe_key k on k.user_id = u.id
         where d.id = ${delivery_id}`,
  );
  if (delivery === undefined || !maySwitchOff(delivery, delivery.event, 'email')) return null;
  const { user_id, event } = delivery;
  return `${user_id}.${event}.${sign(delivery.key ?? (await makeKey(db, user_id)), event)}`;
}

/** Of two workers who need one at the same time both get the first one's. */
async function makeKey(db: Executor, user_id: number): Promise<Buffer> {
  const [made] = await query<{ key: Buffer }>(
    db,
    sql`insert into unsubscribe_key (user_id, key) values (${user_id}, ${randomBytes(32)})
        on conflict (user_id) do update set key = unsubscribe_key.key returning key`,
  );
  if (made === undefined) throw new Error('The key of the links in mails was not written.');
  return made.key;
}

/** What a link is about; null when it is none of ours, or its kind of mail can no longer be switched off. */
export async function findUnsubscription(db: Executor, token: string): Promise<Unsubscription | null> {
  const [, id = '', event = '', signature = ''] = /^(\d{1,15})\.([a-z_]{1,100})\.([\w-]{43})$/.exec(token) ?? [];
  if (id === '') return null;
  const [found] = await query<{ key: Buffer; user_id: number; user_type: UserType; enabled: boolean }>(
    db,
    sql`select k.key, u.id as user_id, u.user_type,
               not exists (select from notification_preference p
                            where p.user_id = u.id and p.event = ${event} and p.channel = 'email' and not p.enabled) as enabled
          from unsubscribe_key k join user_account u on u.id = k.user_id where k.user_id = ${Number(id)}`,
  );
  if (found === undefined) return null;
  const { key, ...person } = found;
  if (!timingSafeEqual(Buffer.from(sign(key, event)), Buffer.from(signature))) return null;
  if (!maySwitchOff(person, event, 'email')) return null;
  return { ...person, event: event as EventName, title: EVENTS[event as EventName].title };
}

/** Switches a kind of mail off by its link, or on again; a repeat changes nothing. Null when the link is none of ours. */
export async function setByUnsubscribeLink(
  db: Database,
  token: string,
  enabled: boolean,
): Promise<Unsubscription | null> {
  const found = await findUnsubscription(db, token);
  if (found === null) return null;
  const { user_id: id, user_type, event } = found;
  await setPreferences(db, { id, user_type }, [{ event, channel: 'email', enabled }]);
  return { ...found, enabled };
}

function sign(key: Buffer, event: string): string {
  return createHmac('sha256', key).update(`email:${event}`).digest('base64url');
}
