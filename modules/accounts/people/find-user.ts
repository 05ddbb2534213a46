import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import type { TwoFactorMethod } from '../sign-in/challenges.ts';
import { normalizeEmail, type User } from '../users.ts';
import type { UserStatus } from './list-users.ts';

/** A person's record as staff see it: never a secret, never a hash. */
export interface UserRecord extends User {
  status: UserStatus;
  phone: string | null;
  timezone: string;
  agency_name: string | null;
  role_name: string | null;
  two_factor_method: TwoFactorMethod | null;
  /** Open sessions of the server-rendered application, idle ones included. */
  open_sessions: number;
  /** Devices that get pushes. */
  devices: number;
  /** When the last invitation was sent, and until when its link works; null where there is none that works. */
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

/** One person's record, whatever its status, or null. */
export async function findUser(db: Executor, userId: number): Promise<UserRecord | null> {
  const [found] = await query<UserRecord>(db, sql`${RECORD} where u.id = ${userId}`);
  return found ?? null;
}

/** The record of this pair, whatever its status, or null. The pair identifies it: never an address alone. */
export async function findUserByPair(
  db: Executor,
  pair: { email_address: string; user_type: UserType },
): Promise<UserRecord | null> {
  const [found] = await query<UserRecord>(
    db,
    sql`${RECORD} where u.email_address = ${normalizeEmail(pair.email_address)} and u.user_type = ${pair.user_type}`,
  );
  return found ?? null;
}
