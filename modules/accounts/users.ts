import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import type { Permission } from './roles/catalogue.ts';
import { permissionsOfAdmin } from './roles/granted-permissions.ts';
import { webSessionHash } from './sign-in/web-sessions.ts';

/** The fields of a user record that every layer needs. */
export interface User {
  id: number;
  email_address: string;
  user_type: UserType;
  first_name: string;
  last_name: string;
  agency_id: number | null;
  admin_role_id: number | null;
}

/** Someone who reads: what decides which cases and conversations they see. */
export interface Reader {
  id: number;
  user_type: UserType;
  /** Or an expression that finds it. */
  agency_id: number | Sql | null;
}

/** A change that a person makes, and not the platform. */
export type ChangedByUser = ChangedBy & { actor: User };

const USER_COLUMNS = sql`id, email_address, user_type, first_name, last_name, agency_id, admin_role_id`;

/** The active account with this address and type, or null. An address by itself identifies no one (LAYER-2). */
export async function findActiveUser(db: Executor, pair: { email_address: string; user_type: UserType }): Promise<User | null> {
  const [user] = await query<User>(db, sql`select ${USER_COLUMNS} ${fromActive(pair, null)}`);
  return user ?? null;
}

/**
 * As `findActiveUser`, in one statement with an admin's current permissions, which are empty for anyone else (ROLE-3).
 * @param webSession the caller's session of the web frontend, if any; null is returned once it has ended (WEB-11).
 */
export async function findCaller(
  db: Executor,
  pair: { email_address: string; user_type: UserType },
  webSession: string | null,
): Promise<{ user: User; permissions: ReadonlySet<Permission> } | null> {
  const permissions = pair.user_type === 'admin' ? sql`array(${permissionsOfAdmin(sql`user_account.id`)})` : sql`array[]::text[]`;
  const [row] = await query<User & { permissions: Permission[] }>(
    db,
    sql`select ${USER_COLUMNS}, ${permissions} as permissions ${fromActive(pair, webSession)}`,
  );
  if (row === undefined) return null;
  const { permissions: granted, ...user } = row;
  return { user, permissions: new Set(granted) };
}

function fromActive(
  { email_address, user_type }: { email_address: string; user_type: UserType },
  webSession: string | null,
): Sql {
  const session = webSession === null ? null : webSessionHash(webSession);
  return sql`from user_account where email_address = ${email_address} and user_type = ${user_type} and status = 'active'
           and (${session}::bytea is null or not exists (select from ended_web_session where id_hash = ${session}))`;
}

export async function findActiveUserById(db: Executor, id: number): Promise<User | null> {
  const [user] = await query<User>(db, sql`select ${USER_COLUMNS} from user_account where id = ${id} and status = 'active'`);
  return user ?? null;
}

/** First and last name, or the address if both are empty. */
export function displayName(user: Pick<User, 'first_name' | 'last_name' | 'email_address'>): string {
  return `${user.first_name} ${user.last_name}`.trim() || user.email_address;
}

/** An SQL expression like `displayName`. @param row the alias of `user_account`. */
export function fullName(row: Sql): Sql {
  return sql`coalesce(nullif(trim(${row}.first_name || ' ' || ${row}.last_name), ''), ${row}.email_address)`;
}

type Profile = Pick<User, 'id' | 'email_address' | 'user_type' | 'first_name' | 'last_name'> & {
  phone: string | null;
  timezone: string;
  two_factor_method: string | null;
};

/** A user's own record, and the fields that are still missing from it (ACCOUNT-1). */
export async function getProfile(db: Database, userId: number) {
  const [profile] = await query<Profile>(
    db,
    sql`select id, email_address, user_type, first_name, last_name, phone, timezone, two_factor_method
          from user_account where id = ${userId}`,
  );
  if (profile === undefined) throw new NotFoundError();
  const fields = ['first_name', 'last_name', 'phone'] as const;
  const missing_fields = fields.filter((field) => (profile[field] ?? '') === '');
  return {
    ...profile,
    setup_status: { is_fully_setup: missing_fields.length === 0, missing_fields },
  };
}
