import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { type EncryptionKey, keyedHashes } from '@case-platform/lib/encryption';
import { TooManyRequestsError, UnauthenticatedError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { type SentCode, sendCode } from '../mails/send-code.ts';
import type { User } from '../users.ts';
import { spendBackupCode } from './backup-codes.ts';
import type { Throttle } from './throttle.ts';
import { findTotpStep } from './totp.ts';
import { openTotpSecret } from './totp-secret.ts';

export type TwoFactorMethod = 'app' | 'email' | 'sms';

/** A challenge works only for its own purpose. */
export type ChallengePurpose = 'api_login' | 'admin_login' | 'change';

export interface Challenge {
  id: string;
  user_id: number;
  method: TwoFactorMethod;
  expires_at: Date;
}

/** The second factor as entered: a six-digit code or a backup code, never one mistaken for the other (TWO-FACTOR-8). */
export type CodeAnswer = { code: string; backup_code?: undefined } | { code?: undefined; backup_code: string };

export interface ChallengeContext {
  db: Database;
  throttle: Throttle;
  encryptionKey: EncryptionKey;
}

/** The limits of TWO-FACTOR-3 and TWO-FACTOR-6. */
const LIFETIME_MS = 10 * 60_000;
export const ATTEMPTS = 5;
const RESEND_AFTER_MS = 60_000;
const WRONG = () => new UnauthenticatedError('This code isn’t right, or it has expired.', 'wrong_code');
const OVER = () => new UnauthenticatedError('This code has expired. Sign in again to get a new one.', 'challenge_ended');

/**
 * Opens a challenge for an account whose password was right, and sends a code unless the method is `app`.
 * @throws {TooManyRequestsError} if the account was sent too many codes (TWO-FACTOR-7).
 */
export async function openChallenge(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  options: { purpose: ChallengePurpose; method: TwoFactorMethod; newSecret?: Buffer },
  now: Date,
): Promise<Challenge> {
  const { purpose, method, newSecret = null } = options;
  if (method !== 'app') await context.throttle.consume('send_code', String(user.id));
  const id = randomUUID();
  const expires_at = new Date(now.getTime() + LIFETIME_MS);
  await context.db.transaction(async (tx) => {
    await query(
      tx,
      sql`insert into tfa_challenge (id, user_id, purpose, method, new_secret, created_at, expires_at)
          values (${id}, ${user.id}, ${purpose}, ${method}, ${newSecret}, ${now}, ${expires_at})`,
    );
    if (method !== 'app') await sendNewCode(context, tx, { id, user_id: user.id, method }, now);
  });
  return { id, user_id: user.id, method, expires_at };
}

/**
 * Sends another code for a challenge; the previous one stops working.
 * @throws {UnauthenticatedError} if the challenge is over. @throws {TooManyRequestsError} within a minute of the previous code
 * (TWO-FACTOR-7).
 */
export async function resendCode(
  context: ChallengeContext,
  { id, purpose }: { id: string; purpose: ChallengePurpose },
  now: Date,
): Promise<void> {
  const challenge = await findOpen(context.db, id, purpose, now);
  if (challenge === undefined || challenge.method === 'app') throw OVER();
  await context.throttle.consume('send_code', String(challenge.user_id));
  const waitMs = await context.db.transaction(async (tx) => {
    const [open] = await query<{ sent_at: Date; method: 'email' | 'sms'; user_id: number }>(
      tx,
      sql`select sent_at, method, user_id from tfa_challenge where id = ${id} and used_at is null for update`,
    );
    if (open === undefined) throw OVER();
    const wait = open.sent_at.getTime() + RESEND_AFTER_MS - now.getTime();
    if (wait <= 0) await sendNewCode(context, tx, { id, user_id: open.user_id, method: open.method }, now);
    return wait;
  });
  if (waitMs <= 0) return;
  // Nothing was sent. Otherwise a few impatient clicks would block all codes for fifteen minutes.
  await context.throttle.returnTry('send_code', String(challenge.user_id));
  throw new TooManyRequestsError(waitMs / 1000, 'We sent a code less than a minute ago. Wait a moment, then ask for a new one.');
}

async function sendNewCode(
  { encryptionKey }: ChallengeContext,
  tx: Transaction,
  { id, user_id, method }: { id: string; user_id: number; method: 'email' | 'sms' },
  now: Date,
): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const [user] = await query<SentCode['user']>(
    tx,
    sql`select id, user_type, email_address, first_name, phone from user_account where id = ${user_id}`,
  );
  const sentTo = method === 'sms' ? user?.phone : user?.email_address;
  await query(
    tx,
    sql`update tfa_challenge set code_hash = ${hashesOf(encryptionKey, id, code)[0] ?? null}, sent_at = ${now},
               sent_to = ${sentTo ?? null} where id = ${id}`,
  );
  if (user !== undefined) await sendCode(tx, { challenge_id: id, user, method, code, sequence: now.getTime() }, now);
}

/**
 * Checks a code. Each attempt is counted for the challenge and the account before it is checked, so that twenty attempts at once
 * count as twenty and a right code works once (TWO-FACTOR-3, TWO-FACTOR-4).
 * @returns the account that the challenge belongs to, and the seed that waited for the code, if any.
 * @throws {UnauthenticatedError} for a wrong code, and for a challenge that is unknown, for another purpose, used, expired, or
 * tried five times.
 * @throws {TooManyRequestsError} after ten wrong codes of the account in fifteen minutes.
 */
export async function passChallenge(
  context: ChallengeContext,
  { id, purpose, answer }: { id: string; purpose: ChallengePurpose; answer: CodeAnswer },
  now: Date,
): Promise<PassedChallenge> {
  const { db, throttle } = context;
  const open = await findOpen(db, id, purpose, now);
  if (open === undefined) throw OVER();
  await throttle.consume('code', String(open.user_id));
  const [challenge] = await query<OpenChallenge>(
    db,
    sql`update tfa_challenge set attempts = attempts + 1
         where id = ${id} and used_at is null and expires_at > ${now} and attempts < ${ATTEMPTS}
         returning id, user_id, method, code_hash, new_secret, sent_to`,
  );
  if (challenge === undefined) throw OVER();
  await db.transaction(async (tx) => {
    if (!(await isRight(context, tx, challenge, answer, now))) throw WRONG();
    const [row] = await query(
      tx,
      sql`update tfa_challenge set used_at = ${now} where id = ${id} and used_at is null returning id`,
    );
    if (row === undefined) throw OVER();
  });
  await throttle.returnTry('code', String(open.user_id));
  const { user_id, method, new_secret, sent_to } = challenge;
  return { user_id, method, new_secret, sent_to };
}

/**
 * Checks a code of a signed-in user, for the method that their account has turned on. For `email` and `sms`, `beginTwoFactor`
 * must have sent it. A setup of another method proves nothing.
 * @throws as `passChallenge`.
 */
export async function passOwnCode(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  { method, answer }: { method: TwoFactorMethod; answer: CodeAnswer },
  now: Date,
): Promise<void> {
  if (method !== 'app') {
    await passNewest(context, user, sql`method = ${method}`, answer, now);
    return;
  }
  const { id } = await openChallenge(context, user, { purpose: 'change', method }, now);
  await passChallenge(context, { id, purpose: 'change', answer }, now);
}

/** Checks a code for the most recent change of two-factor. @throws as `passChallenge`. */
export async function passLastChange(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  answer: CodeAnswer,
  now: Date,
): Promise<PassedChallenge> {
  return passNewest(context, user, sql`true`, answer, now);
}

async function passNewest(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  which: Sql,
  answer: CodeAnswer,
  now: Date,
): Promise<PassedChallenge> {
  const [last] = await query<{ id: string }>(
    context.db,
    sql`select id from tfa_challenge
         where user_id = ${user.id} and purpose = 'change' and used_at is null and ${which}
         order by created_at desc limit 1`,
  );
  // Without a challenge, a random id leads to the same error as an expired one.
  return passChallenge(context, { id: last?.id ?? randomUUID(), purpose: 'change', answer }, now);
}

/** Ends all challenges whose code was not entered yet. @param purpose ends only those; null for all. */
export async function endChallenges(tx: Transaction, userId: number, purpose: ChallengePurpose | null, now: Date): Promise<void> {
  await query(
    tx,
    sql`update tfa_challenge set used_at = ${now} where user_id = ${userId} and used_at is null
           and purpose = coalesce(${purpose}, purpose)`,
  );
}

export interface PassedChallenge {
  user_id: number;
  method: TwoFactorMethod;
  new_secret: Buffer | null;
  /** The number or address that the code was sent to; null for `app`. */
  sent_to: string | null;
}

interface OpenChallenge extends PassedChallenge {
  id: string;
  code_hash: Buffer | null;
}

async function findOpen(db: Executor, id: string, purpose: ChallengePurpose, now: Date) {
  const [open] = await query<OpenChallenge>(
    db,
    sql`select c.id, c.user_id, c.method, c.code_hash, c.new_secret, c.sent_to
          from tfa_challenge c join user_account u on u.id = c.user_id and u.status = 'active'
         where c.id = ${id} and c.purpose = ${purpose} and c.used_at is null and c.expires_at > ${now}
           and c.attempts < ${ATTEMPTS}`,
  );
  return open;
}

async function isRight(
  { encryptionKey }: ChallengeContext,
  tx: Transaction,
  challenge: OpenChallenge,
  { code, backup_code }: CodeAnswer,
  now: Date,
): Promise<boolean> {
  if (code === undefined) {
    // Only the app method has backup codes, and an app that is still being set up has none yet.
    const mayHave = challenge.method === 'app' && challenge.new_secret === null;
    return mayHave && spendBackupCode(tx, encryptionKey, challenge.user_id, backup_code, now);
  }
  if (challenge.method !== 'app') {
    const storedHash = challenge.code_hash;
    return storedHash !== null && hashesOf(encryptionKey, challenge.id, code).some((hash) => timingSafeEqual(hash, storedHash));
  }
  const [account] = await query<{ two_factor_secret: Buffer | null }>(
    tx,
    sql`select two_factor_secret from user_account where id = ${challenge.user_id}`,
  );
  const ciphertext = challenge.new_secret ?? account?.two_factor_secret ?? null;
  if (ciphertext === null) return false;
  const step = findTotpStep(openTotpSecret(encryptionKey, challenge.user_id, ciphertext), code, now);
  return step !== null && claimTotpStep(tx, challenge.user_id, step);
}

/** Each time step works once for an account, in any challenge and even at the same time (TWO-FACTOR-4, TWO-FACTOR-5). */
async function claimTotpStep(tx: Transaction, userId: number, step: number): Promise<boolean> {
  const rows = await query(
    tx,
    sql`update user_account set totp_last_step = ${step}
         where id = ${userId} and (totp_last_step is null or totp_last_step < ${step}) returning id`,
  );
  return rows.length === 1;
}

/**
 * Keyed and bound to the challenge, because a plain hash of six digits could be reversed by trying all of them (TWO-FACTOR-12).
 */
function hashesOf(encryptionKey: EncryptionKey, challengeId: string, code: string): Buffer[] {
  return keyedHashes(encryptionKey, 'one-time code', `${challengeId}:${code}`);
}
