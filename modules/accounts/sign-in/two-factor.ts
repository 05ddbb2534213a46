import { recordAudit } from '@case-platform/lib/audit';
import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, UnauthenticatedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { PASSWORD_MIN } from '@case-platform/words/limits';
import { announceTwoFactorChange } from '../mails/account-mails.ts';
import { type ChangedByUser, displayName, type User } from '../users.ts';
import { makeBackupCodes } from './backup-codes.ts';
import type { TwoFactorMethod } from './challenges.ts';
import {
  type ChallengeContext,
  type CodeAnswer,
  endChallenges,
  openChallenge,
  passLastChange,
  passOwnCode,
} from './challenges.ts';
import { makeTotpSecret, otpauthUrl } from './totp.ts';
import { sealTotpSecret } from './totp-secret.ts';

/**
 * Begins to set up a method: returns the seed for `app`, and otherwise sends a code and returns null. For the method that is
 * already on, it sends the code for turning it off.
 * @throws {InvalidInputError} for `sms` without a phone number. @throws {ConflictError} if another method is on, or `app`
 * already.
 */
export async function beginTwoFactor(
  context: ChallengeContext,
  user: User,
  method: TwoFactorMethod,
  now: Date,
): Promise<{ secret: string; otpauth_url: string } | null> {
  const { phone, two_factor_method } = await getSettings(context, user);
  if (method === 'sms' && phone === null) throw invalid('method', 'Add your phone number to your profile first.');
  if (two_factor_method !== null && two_factor_method !== method) {
    throw new ConflictError('Another method is on. Turn it off first.', 'two_factor_on');
  }
  if (method !== 'app') {
    await openChallenge(context, user, { purpose: 'change', method }, now);
    return null;
  }
  if (two_factor_method === 'app') throw new ConflictError('The app method is on already.', 'two_factor_on');
  const secret = makeTotpSecret();
  const newSecret = sealTotpSecret(context.encryptionKey, user.id, secret);
  await openChallenge(context, user, { purpose: 'change', method, newSecret }, now);
  return { secret, otpauth_url: otpauthUrl(secret, user.email_address) };
}

/**
 * Turns on the method whose setup began last, with its code, and ends other setups.
 * @returns the method, and for `app` ten backup codes, which are shown once.
 * @throws {UnauthenticatedError} for a wrong code, without a setup, and for a code that was sent to a number or address that the
 * account no longer has (TWO-FACTOR-10).
 */
export async function confirmTwoFactor(
  context: ChallengeContext,
  answer: CodeAnswer,
  by: ChangedByUser,
  now: Date,
): Promise<{ method: TwoFactorMethod; backup_codes: string[] }> {
  const { actor: user } = by;
  const { method, new_secret, sent_to } = await passLastChange(context, user, answer, now);
  return context.db.transaction(async (tx) => {
    const [account] = await query(
      tx,
      sql`update user_account set two_factor_method = ${method}, two_factor_secret = ${new_secret},
                 two_factor_since = ${now}, updated_at = now()
           where id = ${user.id} and two_factor_method is null
             and case ${method} when 'sms' then phone when 'email' then email_address end
                 is not distinct from ${sent_to} returning id`,
    );
    if (account === undefined) throw await whyNotOn(tx, user);
    await endChallenges(tx, user.id, 'change', now);
    const backup_codes = method === 'app' ? await makeBackupCodes(tx, context.encryptionKey, user.id) : [];
    await recordChange(tx, { before: null, after: method }, by);
    await announceTwoFactorChange(tx, user, true, now);
    return { method, backup_codes };
  });
}

async function whyNotOn(tx: Executor, user: Pick<User, 'id'>): Promise<Error> {
  if ((await findTwoFactorMethod(tx, user)) !== null) {
    return new ConflictError('Two-factor sign-in is already on.', 'two_factor_on');
  }
  return new UnauthenticatedError('Where we send codes has changed since this one. Start again.', 'challenge_ended');
}

/**
 * Turns two-factor off, with a code of the method that is on, or a backup code for `app`.
 * @throws {ConflictError} if it is off, and `password_short` if the password is too short without it (PASSWORD-3).
 * @throws {UnauthenticatedError} for a wrong code.
 */
export async function disableTwoFactor(
  context: ChallengeContext,
  answer: CodeAnswer,
  by: ChangedByUser,
  now: Date,
): Promise<void> {
  const { actor: user } = by;
  const { two_factor_method } = await getSettings(context, user);
  if (two_factor_method === null) throw isOff();
  await requireLongEnoughPassword(context.db, user);
  await passOwnCode(context, user, { method: two_factor_method, answer }, now);
  await context.db.transaction(async (tx) => {
    await requireLongEnoughPassword(tx, user);
    // The method may have been turned off or replaced since the code was checked.
    if ((await findTwoFactorMethod(tx, user)) !== two_factor_method) throw isOff();
    await clearTwoFactor(tx, user.id, now);
    await recordChange(tx, { before: two_factor_method, after: null }, by);
    await announceTwoFactorChange(tx, user, false, now);
  });
}

const isOff = () => new ConflictError('Two-factor is off.', 'two_factor_off');

/**
 * Runs before a code is used up, and again with the record locked.
 * @throws {ConflictError} `password_short` for a password that is too short without two-factor (PASSWORD-3).
 */
async function requireLongEnoughPassword(db: Executor, user: Pick<User, 'id'>): Promise<void> {
  const [row] = await query<{ password_stands_alone: boolean | null }>(
    db,
    sql`select password_stands_alone from user_account where id = ${user.id} for no key update`,
  );
  if (row?.password_stands_alone !== false) return;
  throw new ConflictError(
    `Your password is too short to protect your account alone. Change it to one with at least ${PASSWORD_MIN} characters first.`,
    'password_short',
  );
}

export async function findTwoFactorMethod(db: Executor, user: Pick<User, 'id'>): Promise<TwoFactorMethod | null> {
  const [row] = await query<{ two_factor_method: TwoFactorMethod | null }>(
    db,
    sql`select two_factor_method from user_account where id = ${user.id}`,
  );
  return row?.two_factor_method ?? null;
}

/**
 * The method whose codes prove identity in this session, or null if two-factor is off or was turned on after the sign-in
 * (IDENTITY-4): someone who found an open session or a token could have turned it on.
 */
export async function findProvingMethod(db: Executor, user: Pick<User, 'id'>, signedInAt: Date): Promise<TwoFactorMethod | null> {
  const [row] = await query<{ two_factor_method: TwoFactorMethod | null }>(
    db,
    sql`select two_factor_method from user_account
         where id = ${user.id} and (two_factor_since is null or two_factor_since < ${signedInAt})`,
  );
  return row?.two_factor_method ?? null;
}

/** Turns two-factor off, for its owner or for someone who lost their phone. */
export async function clearTwoFactor(tx: Transaction, userId: number, now: Date): Promise<void> {
  await query(
    tx,
    sql`update user_account set two_factor_method = null, two_factor_secret = null, updated_at = now()
         where id = ${userId}`,
  );
  await query(tx, sql`delete from backup_code where user_id = ${userId}`);
  await endChallenges(tx, userId, null, now);
}

interface MethodChange {
  before: TwoFactorMethod | null;
  after: TwoFactorMethod | null;
}

async function recordChange(tx: Transaction, { before, after }: MethodChange, by: ChangedByUser): Promise<void> {
  await recordAudit(tx, {
    ...by,
    action: after === null ? 'user.two_factor_off' : 'user.two_factor_on',
    subject_id: by.actor.id,
    subject_label: displayName(by.actor),
    before: { two_factor_method: before },
    after: { two_factor_method: after },
  });
}

async function getSettings({ db }: ChallengeContext, user: User) {
  const [row] = await query<{ phone: string | null; two_factor_method: TwoFactorMethod | null }>(
    db,
    sql`select phone, two_factor_method from user_account where id = ${user.id}`,
  );
  if (row === undefined) throw new UnauthenticatedError();
  return row;
}
