import { createHash, randomBytes } from 'node:crypto';
import type { Database, DatabaseTransaction } from '@case-platform/db';
import { type Origin, recordAudit } from '@case-platform/lib/audit';
import { run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { checkNewPassword } from './password-policy.ts';
import { hashPassword } from './passwords.ts';
import { closeSessionsOf } from './sessions.ts';
import type { UserType } from './user-types.ts';
import { displayName, findActiveUser, normalizeEmail, type User } from './users.ts';

/** Single use, 30 minutes (decisions, section 5). */
const LIFETIME_MS = 30 * 60_000;

/**
 * Makes a reset token for an active account, or null where there is none. Only its hash is kept.
 * Called by the worker: whoever asks gets the same answer in the same time, account or not.
 */
export async function createPasswordReset(
  tx: DatabaseTransaction,
  pair: { email_address: string; user_type: UserType },
  now: Date,
): Promise<{ user: User; token: string } | null> {
  const user = await findActiveUser(tx, { ...pair, email_address: normalizeEmail(pair.email_address) });
  if (user === null) return null;
  const token = randomBytes(32).toString('base64url');
  await run(tx, 'insert into password_reset (user_id, token_hash, created_at, expires_at) values ($1, $2, $3, $4)', [
    user.id,
    hashToken(token),
    now,
    new Date(now.getTime() + LIFETIME_MS),
  ]);
  return { user, token };
}

/**
 * Sets a new password by a reset token. The token is spent, and so is every other of the account; a password that is
 * refused spends nothing. Staff sessions end; tokens that were issued stay valid until they expire (specification, rule 2).
 * @throws {InvalidInputError} for a token that is unknown, used or expired, and for a password that may not be set.
 */
export async function resetPassword(
  db: Database,
  { token, password, origin, now }: { token: string; password: string; origin: Origin; now: Date },
  announce: (tx: DatabaseTransaction, user: User) => Promise<void>,
): Promise<void> {
  const found = await findReset(db, token, now);
  checkNewPassword(password, found);
  const passwordHash = await hashPassword(password);
  await db.transaction().execute(async (tx) => {
    const [spent] = await run<{ user_id: number }>(
      tx,
      `update password_reset set used_at = $2
        where token_hash = $1 and used_at is null and expires_at > $2 returning user_id`,
      [hashToken(token), now],
    );
    if (spent === undefined) throw ended();
    await run(tx, 'update password_reset set used_at = $2 where user_id = $1 and used_at is null', [found.id, now]);
    await setPassword(tx, found, passwordHash);
    await recordAudit(tx, {
      actor: found,
      origin,
      action: 'user.reset_password',
      subject_id: found.id,
      subject_label: displayName(found),
    });
    await announce(tx, found);
  });
}

/** Stores a new hash and ends the account's staff sessions, but for `keepSession`. */
export async function setPassword(
  tx: DatabaseTransaction,
  user: Pick<User, 'id'>,
  passwordHash: string,
  keepSession?: string,
): Promise<void> {
  await run(tx, 'update user_account set password_hash = $2, updated_at = now() where id = $1', [
    user.id,
    passwordHash,
  ]);
  await closeSessionsOf(tx, user.id, keepSession);
}

async function findReset(db: Database, token: string, now: Date): Promise<User & { two_factor_method: string | null }> {
  const [found] = await run<User & { two_factor_method: string | null }>(
    db,
    `select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.agency_id, u.admin_role_id, u.two_factor_method
       from password_reset r join user_account u on u.id = r.user_id and u.status = 'active'
      where r.token_hash = $1 and r.used_at is null and r.expires_at > $2`,
    [hashToken(token), now],
  );
  if (found === undefined) throw ended();
  return found;
}

function ended() {
  return invalid('token', 'This link has been used or has expired. Ask for a new one.');
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
