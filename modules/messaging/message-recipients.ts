import type { Database, Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, fullName, type User } from '@case-platform/modules/accounts';
import { suppressDelivery } from '@case-platform/modules/notifications';
import type { UserType } from '@case-platform/words/user-types';
import { chainIsVisible } from './chain-access.ts';

export interface NotifyContext {
  db: Database;
  /** Where people read messages: the web frontend, and the server-rendered application for staff. */
  webUrl: string;
  adminUrl: string;
  /** Mails to one address in an hour. Without it, mails are not limited. */
  mailsPerHour?: number | undefined;
}

/** The facts about a message that its notices contain. */
export interface Announced {
  id: number;
  chain_id: number;
  subject: string;
  from_id: number;
  from_type: UserType;
  from_name: string;
}

export type Person = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;

/** Finds the facts for a message's notices; undefined once it was retracted. */
export async function findAnnounced(db: Database, messageId: number): Promise<Announced | undefined> {
  const [message] = await query<Announced>(
    db,
    sql`select m.id, m.chain_id, c.subject, m.from_id, m.from_type,
               ${fullName(sql`u`)} as from_name
          from message m join message_chain c on c.id = m.chain_id join user_account u on u.id = m.from_id
         where m.id = ${messageId} and m.retracted_at is null`,
  );
  return message;
}

/**
 * Whether `user_account u` is still a recipient of the message `m` in its chain `c`: a member who has not left the chain, or,
 * of a message in the admins' inbox, the assigned admin while they may read it.
 */
const IS_RECIPIENT = sql`(u.status = 'active' and u.id <> m.from_id and (
  (m.to_admin and u.id = c.assigned_admin_id and ${adminHasPermission(sql`u.id`, 'view_messages')}
     and ${chainIsVisible({ id: sql`u.id`, user_type: 'admin' })})
  or exists (select from message_recipient r
               join message_chain_group g on g.chain_id = r.chain_id and g.user_id = r.user_id and g.left_at is null
              where r.message_id = m.id and r.user_id = u.id)))`;

/** Lists everyone who is a recipient of a message now, in the order of their ids. */
export function listRecipientsOf(db: Executor, { id }: Pick<Announced, 'id'>): Promise<Person[]> {
  return query<Person>(
    db,
    sql`select u.id, u.user_type, u.email_address, u.first_name
          from message m join message_chain c on c.id = m.chain_id
          cross join lateral (
            select c.assigned_admin_id as id
            union select r.user_id from message_recipient r where r.message_id = m.id) addressed
          join user_account u on u.id = addressed.id
         where m.id = ${id} and ${IS_RECIPIENT}
         order by u.id`,
  );
}

/**
 * Whether a queued mail or push may go out. One about a message that was retracted meanwhile, or that its recipient no longer
 * sees, is recorded as suppressed instead. Notices about anything other than messages may.
 */
export async function canDeliver(
  { db }: Pick<NotifyContext, 'db'>,
  { delivery_id, message_id }: { delivery_id: number; message_id?: number | undefined },
): Promise<boolean> {
  if (message_id === undefined) return true;
  const recipients = await query(
    db,
    sql`select from delivery d join user_account u on u.id = d.user_id
          join message m on m.id = ${message_id} and m.retracted_at is null join message_chain c on c.id = m.chain_id
         where d.id = ${delivery_id} and ${IS_RECIPIENT}`,
  );
  if (recipients.length > 0) return true;
  await suppressDelivery(db, delivery_id, 'The recipient can no longer read this message.');
  return false;
}
