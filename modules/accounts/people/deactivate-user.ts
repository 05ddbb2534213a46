import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { announceTwoFactorReset } from '../mails/staff-mails.ts';
import { endResetTokens } from '../password/reset-tokens.ts';
import { requireRoleAdministrator } from '../roles/require-role-administrator.ts';
import { regrantRole } from '../roles/role-grants.ts';
import {
  auditOf,
  lockUser,
  requireOtherAccount,
  requireRightsOverUser,
  requireRoleManagerForStaff,
  type StaffChange,
} from '../sign-in/lock-user.ts';
import { closeSessionsOf } from '../sign-in/sessions.ts';
import { clearTwoFactor } from '../sign-in/two-factor.ts';
import { endAddressChange } from './change-address.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Reassigns requests that wait for someone who can no longer decide about them. */
    reassign_approvals: { user_id?: number };
    /** Reassigns conversations of admins who can no longer read them. */
    reassign_chains: object;
  }
}

/**
 * Locks a person out: their tokens are rejected from the next request on, their staff sessions and links end, and requests that
 * wait for their approval go to others. Their messages, cases, and devices stay (STAFF-5).
 * @throws {NotFoundError} for an unknown id. @throws {ForbiddenError} for a person with more permissions than the actor
 * (STAFF-3).
 * @throws {ConflictError} for one's own account, one that is already deactivated, or `last_role_manager`.
 */
export async function deactivateUser(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    requireOtherAccount(userId, change, 'You can’t deactivate your own account. Ask a colleague to do it.');
    await requireRightsOverUser(tx, userId, change);
    if (user.status === 'deactivated') throw new ConflictError('This account is already deactivated.', 'deactivated');
    await setStatus(tx, userId, 'deactivated');
    await closeSessionsOf(tx, userId);
    await endResetTokens(tx, userId, change.now);
    await endAddressChange(tx, userId, change.now);
    if (user.user_type === 'admin') await requireRoleAdministrator(tx);
    await enqueue(tx, 'reassign_approvals', { user_id: userId });
    if (user.user_type === 'admin') await enqueue(tx, 'reassign_chains', {});
    await recordAudit(tx, {
      ...auditOf(user, change),
      action: 'user.deactivate',
      before: { status: user.status },
      after: { status: 'deactivated' },
    });
  });
}

/**
 * Reactivates an account. Someone who never chose a password is invited again, without a mail. A role that may move money waits
 * for another administrator again.
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} if the account is not deactivated, or was erased.
 * @throws {ForbiddenError} for a person with more permissions than the actor (STAFF-3).
 */
export async function reactivateUser(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    await requireRightsOverUser(tx, userId, change);
    if (user.status !== 'deactivated') throw new ConflictError('This account isn’t deactivated.', 'not_deactivated');
    if (user.erased_at !== null) throw new ConflictError('This person was erased. Invite them again instead.', 'erased');
    const status = user.has_password ? 'active' : 'invited';
    const isRoleInEffect = await regrantRole(tx, user, change, change.urls);
    await setStatus(tx, userId, status);
    await recordAudit(tx, {
      ...auditOf(user, change),
      action: 'user.reactivate',
      before: { status: user.status },
      after: { status, ...(isRoleInEffect ? {} : { role: 'waits' }) },
    });
  });
}

/**
 * Turns off two-factor for someone who lost their phone (STAFF-6). Their password then signs in by itself; if it is too short for
 * that, it stops working and they set a new one with a reset link (PASSWORD-3).
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} for one's own account, and if two-factor is off.
 * @throws {ForbiddenError} for an admin if the actor does not manage roles, and for a person with more permissions than the
 * actor.
 */
export async function resetTwoFactor(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    requireOtherAccount(userId, change, 'Turn off your own two-factor sign-in on your account page, with a code.');
    requireRoleManagerForStaff(user, change);
    await requireRightsOverUser(tx, userId, change);
    if (user.two_factor_method === null) throw new ConflictError('Two-factor sign-in is off.', 'two_factor_off');
    await clearTwoFactor(tx, userId, change.now);
    const ended = await endShortPassword(tx, userId);
    await recordAudit(tx, {
      ...auditOf(user, change),
      action: 'user.reset_two_factor',
      before: { two_factor_method: user.two_factor_method },
      after: { two_factor_method: null },
    });
    await announceTwoFactorReset(tx, user, { passwordEnded: ended }, change.now);
  });
}

/** No password has this hash. */
const NO_PASSWORD = '!';

/** Removes a password that is only long enough with two-factor; the owner sets a new one with a mailed link. */
async function endShortPassword(tx: Transaction, userId: number): Promise<boolean> {
  const rows = await query(
    tx,
    sql`update user_account set password_hash = ${NO_PASSWORD}, password_stands_alone = null
         where id = ${userId} and not password_stands_alone returning id`,
  );
  return rows.length > 0;
}

async function setStatus(tx: Transaction, userId: number, status: 'invited' | 'active' | 'deactivated') {
  await query(tx, sql`update user_account set status = ${status}, updated_at = now() where id = ${userId}`);
}
