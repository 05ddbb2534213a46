import { isIP } from 'node:net';
import { type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { NO_SQL, query, type Sql, sql } from '@case-platform/lib/sql';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import type { UserType } from '@case-platform/words/user-types';
import { announcePasswordChange } from '../mails/account-mails.ts';
import { endAddressChange } from '../people/change-address.ts';
import { closeSessionsOf } from '../sign-in/sessions.ts';
import { displayName, findActiveUser, type User } from '../users.ts';
import { isLongEnoughAlone, passwordTooShort, requireAllowedPassword } from './password-policy.ts';
import { hashPassword } from './passwords.ts';
import { endResetTokens, hashResetToken, issueResetToken, type ResetPurpose } from './reset-tokens.ts';

/**
 * Creates a reset token for an active account and stores only its hash. Returns null if there is no such account. Only the worker
 * calls this, so that the requester gets the same answer in the same time either way (PASSWORD-4).
 */
export async function createPasswordReset(
  tx: Transaction,
  pair: { email_address: string; user_type: UserType },
  now: Date,
): Promise<{ user: User; token: string } | null> {
  const user = await findActiveUser(tx, { ...pair, email_address: normalizeEmail(pair.email_address) });
  if (user === null) return null;
  const token = await issueResetToken(tx, { user_id: user.id, purpose: 'reset' }, now);
  return { user, token };
}

/**
 * Sets a new password with a reset token, or an invited person's first password, which activates the account. It uses up all
 * tokens of the account, unless the password is rejected. Staff sessions end; issued tokens stay valid until they expire
 * (TOKEN-7). Accepting an invitation is not announced, because the account did not have a password before.
 * @throws {InvalidInputError} for a token that is unknown, used, or expired, and for a password that is not allowed.
 */
export async function resetPassword(
  db: Database,
  { token, password, origin }: { token: string; password: string; origin: Origin },
  now: Date,
): Promise<void> {
  await requireAllowedPassword(password, await getReset(db, token, NO_SQL, now));
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const reset = await getReset(tx, token, sql`for no key update of u`, now);
    const { purpose } = reset;
    await spendToken(tx, token, origin, now);
    await endResetTokens(tx, reset.id, now);
    await setPassword(tx, reset, { password, passwordHash }, now);
    await recordAudit(tx, {
      actor: reset,
      origin,
      action: purpose === 'invitation' ? 'user.accept_invitation' : 'user.reset_password',
      subject_id: reset.id,
      subject_label: displayName(reset),
    });
    if (purpose === 'invitation') await activateUser(tx, reset.id);
    else await announcePasswordChange(tx, reset, now);
  });
}

interface NewPassword {
  password: string;
  passwordHash: string;
  keepSession?: string | undefined;
}

/**
 * Stores a new hash, ends the account's staff sessions except `keepSession`, and ends a pending address link, which someone else
 * may have requested (ADDRESS-3).
 */
export async function setPassword(
  tx: Transaction,
  user: Pick<User, 'id'>,
  { password, passwordHash, keepSession }: NewPassword,
  now: Date,
): Promise<void> {
  const [account] = await query(
    tx,
    sql`update user_account set password_hash = ${passwordHash}, password_stands_alone = ${isLongEnoughAlone(password)},
               updated_at = now()
         where id = ${user.id} and (${isLongEnoughAlone(password)} or two_factor_method is not null) returning id`,
  );
  // Two-factor was turned off after the password was checked.
  if (account === undefined) throw passwordTooShort();
  await endAddressChange(tx, user.id, now);
  await closeSessionsOf(tx, user.id, keepSession);
}

type FoundReset = User & { phone: string | null; two_factor_method: string | null; purpose: ResetPurpose };

/** A reset is for an active account and an invitation for an invited one, so links of a deactivated account do not work. */
async function getReset(db: Executor, token: string, lock: Sql, now: Date): Promise<FoundReset> {
  const [reset] = await query<FoundReset>(
    db,
    sql`select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.agency_id, u.admin_role_id,
               u.phone, u.two_factor_method, r.purpose
          from password_reset r join user_account u on u.id = r.user_id
           and u.status = case r.purpose when 'invitation' then 'invited' else 'active' end
         where r.token_hash = ${hashResetToken(token)} and r.used_at is null
           and r.expires_at > ${now} ${lock}`,
  );
  if (reset === undefined) throw linkEnded();
  return reset;
}

async function spendToken(tx: Executor, token: string, { ip_address }: Origin, now: Date): Promise<void> {
  const resets = await query(
    tx,
    sql`update password_reset set used_at = ${now}, used_from = ${isIP(ip_address ?? '') === 0 ? null : (ip_address ?? null)}
         where token_hash = ${hashResetToken(token)} and used_at is null and expires_at > ${now} returning id`,
  );
  if (resets.length === 0) throw linkEnded();
}

async function activateUser(tx: Executor, userId: number): Promise<void> {
  await query(tx, sql`update user_account set status = 'active' where id = ${userId}`);
}

function linkEnded() {
  return invalid('token', 'This link has been used or has expired. Ask for a new one.');
}
