import type { AuditEntry, ChangedBy } from '@case-platform/lib/audit';
import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, type Sql, sql, unionOf } from '@case-platform/lib/sql';
import type { PlatformUrls } from '../mails/staff-mails.ts';
import type { UserStatus } from '../people/list-users.ts';
import { permissionsOfAdmin, permissionsOfRole } from '../roles/granted-permissions.ts';
import { displayName, type User } from '../users.ts';
import type { TwoFactorMethod } from './challenges.ts';

export interface LockedUser extends User {
  status: UserStatus;
  phone: string | null;
  two_factor_method: TwoFactorMethod | null;
  has_password: boolean;
  erased_at: Date | null;
}

/** The actor, whose permissions decide which staff they may change (STAFF-3, STAFF-4), and the time. */
export interface StaffChange extends ChangedBy {
  actor: User | null;
  manages_roles: boolean;
  now: Date;
  /** For links in the mails that the change sends. */
  urls: PlatformUrls;
}

/**
 * Locks a record until the end of the transaction, so that two changes of it run one after the other. The actor's record is
 * locked with it, in the order of ids, so that two people who change each other do not deadlock.
 * @throws {NotFoundError} for an unknown id.
 */
export async function lockUser(tx: Transaction, userId: number, by: ChangedBy): Promise<LockedUser> {
  const rows = await query<LockedUser>(
    tx,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id, status, phone,
               two_factor_method, password_hash is not null as has_password, erased_at
          from user_account where id = any(${[userId, by.actor?.id ?? userId]}::bigint[]) order by id for no key update`,
  );
  const user = rows.find((row) => row.id === userId);
  if (user === undefined) throw new NotFoundError();
  return user;
}

/** The audit log fields of a change to this record. */
export function auditOf(
  { id, ...user }: Pick<User, 'id' | 'first_name' | 'last_name' | 'email_address'>,
  { actor, origin }: ChangedBy,
): Pick<AuditEntry, 'actor' | 'origin' | 'subject_id' | 'subject_label'> {
  return { actor, origin, subject_id: id, subject_label: displayName(user) };
}

/** @throws {ConflictError} `own_account` for a change to the actor's own account that someone else should make. */
export function requireOtherAccount(userId: number, { actor }: ChangedBy, words: string): void {
  if (actor?.id === userId) throw new ConflictError(words, 'own_account');
}

/**
 * Staff may change, deactivate, or reset a person only if they have all of that person's permissions (STAFF-3). The permissions
 * are read in the transaction of the change, so that a role given or removed a moment ago counts.
 * @throws {ForbiddenError} `may_do_more` for a person with a permission that the actor does not have.
 */
export async function requireRightsOverUser(tx: Executor, userId: number, { actor }: ChangedBy): Promise<void> {
  // A role that waits for confirmation counts as theirs (ROLE-11): anyone who took over the account meanwhile would get it.
  const waiting = permissionsOfRole(
    sql`any (select admin_role_id from role_grant where user_id = ${userId} and status = 'waiting')`,
  );
  await requireRights(tx, unionOf([permissionsOfAdmin(userId), waiting]), actor?.id ?? null);
}

/** @throws {ForbiddenError} `may_do_more` for a role with a permission that the actor does not have (STAFF-3). */
export async function requireRightsOfRole(tx: Executor, roleId: number | null, { actor }: ChangedBy): Promise<void> {
  if (roleId === null) return;
  await requireRights(tx, permissionsOfRole(roleId), actor?.id ?? null);
}

async function requireRights(tx: Executor, rights: Sql, actorId: number | null): Promise<void> {
  const [more] = await query(tx, sql`(${rights}) except ${permissionsOfAdmin(actorId)} and holder.status = 'active' limit 1`);
  if (more === undefined) return;
  throw new ForbiddenError('Their role allows more than yours, so you can’t do this.', 'may_do_more');
}

/**
 * Someone who can take over an admin's account could act as a second person (STAFF-4).
 * @throws {ForbiddenError} for a change to an admin by someone who does not manage roles.
 */
export function requireRoleManagerForStaff({ user_type }: Pick<User, 'user_type'>, { manages_roles }: StaffChange): void {
  if (user_type === 'admin' && !manages_roles) {
    throw new ForbiddenError('You can’t do this for staff. Ask someone who manages roles.');
  }
}
