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
  refuseOwn,
  refuseStronger,
  refuseTakeover,
  type StaffChange,
} from '../sign-in/lock-user.ts';
import { closeSessionsOf } from '../sign-in/sessions.ts';
import { clearTwoFactor } from '../sign-in/two-factor.ts';
import { endAddressChange } from './change-address.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Asks others about the requests that wait for somebody whose account was closed. */
    reassign_approvals: { user_id?: number };
    /** Gives the conversations of those who can no longer read them to others. */
    reassign_chains: object;
  }
}

/**
 * Shuts a person out: from the next request on their tokens are refused, their staff sessions are closed, their links
 * work no more, and others are asked for the approvals that waited for them. What they wrote, their cases and their devices
 * stay as they are.
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} for oneself, and when it is done already.
 * @throws {ForbiddenError} for a person who has more permissions. @throws {ConflictError} `last_role_manager`.
 */
export async function deactivateUser(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    refuseOwn(userId, change, 'You can’t deactivate your own account. Ask a colleague to do it.');
    await refuseStronger(tx, userId, change);
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
 * Lets a deactivated person in again; whoever never chose a password is invited again, and gets no mail by this alone.
 * A role that may move money is given anew: it waits for another administrator.
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} when the account is not deactivated.
 * @throws {ForbiddenError} for somebody who may do more.
 */
export async function reactivateUser(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    await refuseStronger(tx, userId, change);
    if (user.status !== 'deactivated') throw new ConflictError('This account isn’t deactivated.', 'not_deactivated');
    if (user.erased_at !== null)
      throw new ConflictError('This person was erased. Invite them again instead.', 'erased');
    const status = user.has_password ? 'active' : 'invited';
    const counts = await regrantRole(tx, user, change, change.urls);
    await setStatus(tx, userId, status);
    await recordAudit(tx, {
      ...auditOf(user, change),
      action: 'user.reactivate',
      before: { status: user.status },
      after: { status, ...(counts ? {} : { role: 'waits' }) },
    });
  });
}

/**
 * Takes two-factor off for someone who lost their phone: the password alone opens the account until they turn it on again. One
 * that is too short for that ends, and they set another by the link of a reset.
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} for oneself, and when it is off.
 * @throws {ForbiddenError} for an admin's, by someone who does not manage roles, and for somebody who may do more.
 */
export async function resetTwoFactor(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    refuseOwn(userId, change, 'Turn off your own two-factor sign-in on your account page, with a code.');
    refuseTakeover(user, change);
    await refuseStronger(tx, userId, change);
    if (user.two_factor_method === null) throw new ConflictError('Two-factor sign-in is off.', 'two_factor_off');
    await clearTwoFactor(tx, userId);
    const ended = await endShortPassword(tx, userId);
    await recordAudit(tx, {
      ...auditOf(user, change),
      action: 'user.reset_two_factor',
      before: { two_factor_method: user.two_factor_method },
      after: { two_factor_method: null },
    });
    await announceTwoFactorReset(tx, user, { passwordEnded: ended });
  });
}

/** A hash that no password has. */
const NO_PASSWORD = '!';

/** A password that was enough beside two-factor alone opens nothing any more: a new one is set by a mailed link. */
async function endShortPassword(tx: Transaction, userId: number): Promise<boolean> {
  const ended = await query(
    tx,
    sql`update user_account set password_hash = ${NO_PASSWORD}, password_stands_alone = null
         where id = ${userId} and not password_stands_alone returning id`,
  );
  return ended.length > 0;
}

async function setStatus(tx: Transaction, userId: number, status: 'invited' | 'active' | 'deactivated') {
  await query(tx, sql`update user_account set status = ${status}, updated_at = now() where id = ${userId}`);
}
