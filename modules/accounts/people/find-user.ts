import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import type { UserType } from '@case-platform/words/user-types';
import type { TwoFactorMethod } from '../sign-in/challenges.ts';
import type { User } from '../users.ts';
import type { UserStatus } from './list-users.ts';

/** A person's record as staff see it, without secrets or hashes. */
export interface UserRecord extends User {
  status: UserStatus;
  phone: string | null;
  timezone: string;
  agency_name: string | null;
  role_name: string | null;
  two_factor_method: TwoFactorMethod | null;
  /** Open sessions of the staff application, including idle ones. */
  open_sessions: number;
  devices: number;
  /** The time of the last invitation and the end of its link; null unless the person is invited and has an unused link. */
  invited_at: Date | null;
  invitation_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const RECORD = sql`
  select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.agency_id, u.admin_role_id, u.status, u.phone,
         u.timezone, u.two_factor_method, u.created_at, u.updated_at, a.name as agency_name, r.name as role_name,
         (select count(*)::int from admin_session s where s.user_id = u.id) as open_sessions,
         (select count(*)::int from push_subscription d where d.user_id = u.id) as devices,
         i.created_at as invited_at, i.expires_at as invitation_expires_at
    from user_account u
    left join agency a on a.id = u.agency_id
    left join admin_role r on r.id = u.admin_role_id
    left join lateral (
      select created_at, expires_at from password_reset
       where user_id = u.id and purpose = 'invitation' and used_at is null and u.status = 'invited'
       order by id desc limit 1) i on true`;

/** A person's record in any status, or null. */
export async function findUser(db: Executor, userId: number): Promise<UserRecord | null> {
  const [record] = await query<UserRecord>(db, sql`${RECORD} where u.id = ${userId}`);
  return record ?? null;
}

/** The record with this address and user type in any status, or null. An address by itself identifies no one (LAYER-2). */
export async function findUserByPair(
  db: Executor,
  pair: { email_address: string; user_type: UserType },
): Promise<UserRecord | null> {
  const [record] = await query<UserRecord>(
    db,
    sql`${RECORD} where u.email_address = ${normalizeEmail(pair.email_address)} and u.user_type = ${pair.user_type}`,
  );
  return record ?? null;
}
