import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName, type User } from '@case-platform/modules/accounts';
import { queuePush } from '@case-platform/modules/notifications';
import type { UserType } from '@case-platform/words/user-types';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Pushes to those whom the specification's table names. */
    push_message: { message_id: number };
  }
}

export interface NotifyContext {
  db: Database;
  /** Where people read messages: the web frontend, and the server-rendered application for staff. */
  webUrl: string;
  adminUrl: string;
  /** Mails to one address in an hour; without it none is held back. */
  mailsPerHour?: number | undefined;
}

/** A message as those who are told of it may know it. */
export interface Announced {
  id: number;
  chain_id: number;
  subject: string;
  from_id: number;
  from_type: UserType;
  from_name: string;
  to_admin: boolean;
  assigned_admin_id: number | null;
}

export type Person = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;

/**
 * Push, exactly as the specification's table: a non-admin's message goes to the assigned admin, an admin's to the
 * recipient, or to every non-admin of the group.
 */
export async function pushMessage({ db }: NotifyContext, { message_id }: { message_id: number }) {
  const message = await findAnnounced(db, message_id);
  if (message === undefined) return;
  const fromStaff = message.from_type === 'admin';
  const people = (await listRecipientsOf(db, message)).filter((person) => (person.user_type === 'admin') !== fromStaff);
  for (const person of people) {
    await db.transaction((tx) =>
      queuePush(tx, {
        key: `message:${message.id}`,
        event: 'new_message',
        to: person,
        payload: {
          title: 'New message',
          // Who wrote, not what: lock screens are read over shoulders.
          body: `${message.from_name} wrote to you.`,
          url: `/messages/${message.chain_id}`,
          tag: `message-${message.id}`,
        },
      }),
    );
  }
}

/** The message, unless it was taken back. */
export async function findAnnounced(db: Database, messageId: number): Promise<Announced | undefined> {
  const [message] = await query<Announced>(
    db,
    sql`select m.id, m.chain_id, c.subject, m.from_id, m.from_type, m.to_admin, c.assigned_admin_id,
               ${fullName(sql`u`)} as from_name
          from message m join message_chain c on c.id = m.chain_id join user_account u on u.id = m.from_id
         where m.id = ${messageId} and m.retracted_at is null`,
  );
  return message;
}

/** Non-admin recipients who are still in the chain, and the assigned admin when the message is in the admins' inbox. */
export function listRecipientsOf(db: Database, message: Announced): Promise<Person[]> {
  return query<Person>(
    db,
    sql`select u.id, u.user_type, u.email_address, u.first_name
          from user_account u
         where u.status = 'active' and u.id <> ${message.from_id}
           and (u.id = ${message.to_admin ? message.assigned_admin_id : null} or u.id in (
                 select r.user_id from message_recipient r
                   join message_chain_group g on g.chain_id = r.chain_id and g.user_id = r.user_id and g.left_at is null
                  where r.message_id = ${message.id}))
         order by u.id`,
  );
}
