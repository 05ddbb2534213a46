import type { Database, Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, fullName, type User } from '@case-platform/modules/accounts';
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

/** A message with the facts that its notices contain, and everyone who is a recipient now, in the order of their ids. */
export interface Announced {
  id: number;
  chain_id: number;
  subject: string;
  from_id: number;
  from_type: UserType;
  from_name: string;
  recipients: Person[];
}

export type Person = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;

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

/** Lists messages with their recipients, in the order of their ids, without those that were retracted. */
export function listAnnounced(db: Executor, messageIds: readonly number[]): Promise<Announced[]> {
  return query<Announced>(
    db,
    sql`select m.id, m.chain_id, c.subject, m.from_id, m.from_type, ${fullName(sql`writer`)} as from_name,
               (select coalesce(json_agg(json_build_object('id', u.id, 'user_type', u.user_type, 'email_address', u.email_address,
                                                           'first_name', u.first_name) order by u.id), '[]')
                  from (select c.assigned_admin_id as id
                        union select r.user_id from message_recipient r where r.message_id = m.id) addressed
                  join user_account u on u.id = addressed.id
                 where ${IS_RECIPIENT}) as recipients
          from message m join message_chain c on c.id = m.chain_id join user_account writer on writer.id = m.from_id
         where m.id = any(${messageIds}::bigint[]) and m.retracted_at is null
         order by m.id`,
  );
}

/**
 * A condition on a `delivery d`: its recipient may still read the message that it is about, which was not retracted. A queued
 * mail or push about anything else may always go out.
 */
export function mayStillRead({ message_id }: { message_id?: number | undefined }): Sql {
  if (message_id === undefined) return sql`true`;
  return sql`exists (select from user_account u join message m on m.id = ${message_id} and m.retracted_at is null
                       join message_chain c on c.id = m.chain_id
                      where u.id = d.user_id and ${IS_RECIPIENT})`;
}
