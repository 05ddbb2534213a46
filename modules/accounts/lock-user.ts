import type { DatabaseTransaction } from '@case-platform/db';
import type { AuditEntry, ChangedBy } from '@case-platform/lib/audit';
import { run } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import type { UserStatus } from './list-users.ts';
import type { TwoFactorMethod } from './sign-in.ts';
import { displayName, type User } from './users.ts';

/** A record that staff are about to change. */
export interface LockedUser extends User {
  status: UserStatus;
  phone: string | null;
  two_factor_method: TwoFactorMethod | null;
  has_password: boolean;
}

/** Who changes somebody else's record: what they may do to staff depends on whether they manage roles. */
export interface StaffChange extends ChangedBy {
  manages_roles: boolean;
  now: Date;
}

/**
 * The record, locked until the transaction ends, so that two changes of it come one after the other. Whoever changes it is
 * locked along with it, in the order of their numbers: two people who change each other do not wait for ever.
 * @throws {NotFoundError} for an unknown id.
 */
export async function lockUser(tx: DatabaseTransaction, userId: number, by: ChangedBy): Promise<LockedUser> {
  const rows = await run<LockedUser>(
    tx,
    `select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id, status, phone,
            two_factor_method, password_hash is not null as has_password
       from user_account where id = any($1::bigint[]) order by id for no key update`,
    [[userId, by.actor?.id ?? userId]],
  );
  const found = rows.find((row) => row.id === userId);
  if (found === undefined) throw new NotFoundError();
  return found;
}

/** How a change of this record stands in the audit log. */
export function auditOf(
  { id, ...user }: Pick<User, 'id' | 'first_name' | 'last_name' | 'email_address'>,
  { actor, origin }: ChangedBy,
): Pick<AuditEntry, 'actor' | 'origin' | 'subject_id' | 'subject_label'> {
  return { actor, origin, subject_id: id, subject_label: displayName(user) };
}

/** @throws {ConflictError} when somebody does to themselves what somebody else should decide. */
export function refuseOwn(userId: number, { actor }: ChangedBy, words: string): void {
  if (actor?.id === userId) throw new ConflictError(words, 'own_account');
}

/**
 * Whoever could take over the account of an admin could take over that admin's role.
 * @throws {ForbiddenError} for a change of an admin by someone who does not manage roles.
 */
export function refuseTakeover({ user_type }: Pick<User, 'user_type'>, { manages_roles }: StaffChange): void {
  if (user_type === 'admin' && !manages_roles) {
    throw new ForbiddenError('For a member of staff this takes someone who manages roles.');
  }
}
