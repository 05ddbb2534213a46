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

/** What a challenge opens; one of another purpose is no challenge at all. */
export type ChallengePurpose = 'api_login' | 'admin_login' | 'change';

export interface Challenge {
  id: string;
  user_id: number;
  method: TwoFactorMethod;
  expires_at: Date;
}

/** What is given as a second factor: a code of six digits, or one of ten backup codes. Never one taken for the other. */
export type CodeAnswer = { code: string; backup_code?: undefined } | { code?: undefined; backup_code: string };

/** What challenges are made and checked with. */
export interface ChallengeContext {
  db: Database;
  throttle: Throttle;
  encryptionKey: EncryptionKey;
}

/** Codes last ten minutes and can be tried five times (TWO-FACTOR-3, TWO-FACTOR-6). */
const LIFETIME_MS = 10 * 60_000;
export const ATTEMPTS = 5;
const RESEND_AFTER_MS = 60_000;
const WRONG = () => new UnauthenticatedError('This code isn’t right, or it has expired.', 'wrong_code');
const OVER = () =>
  new UnauthenticatedError('This code has expired. Sign in again to get a new one.', 'challenge_ended');

/**
 * Opens a challenge for an account whose password was right, and sends the code where one is sent.
 * @throws {TooManyRequestsError} when the account was sent too many codes.
 */
export async function openChallenge(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  options: { purpose: ChallengePurpose; method: TwoFactorMethod; newSecret?: Buffer; now: Date },
): Promise<Challenge> {
  const { purpose, method, newSecret = null, now } = options;
  if (method !== 'app') await context.throttle.consume('send_code', String(user.id));
  const id = randomUUID();
  const expires_at = new Date(now.getTime() + LIFETIME_MS);
  await context.db.transaction(async (tx) => {
    await query(
      tx,
      sql`insert into tfa_challenge (id, user_id, purpose, method, new_secret, created_at, expires_at)
          values (${id}, ${user.id}, ${purpose}, ${method}, ${newSecret}, ${now}, ${expires_at})`,
    );
    if (method !== 'app') await sendNewCode(context, tx, { id, user_id: user.id, method, now });
  });
  return { id, user_id: user.id, method, expires_at };
}

/**
 * Sends another code for a challenge, at most one a minute; the one before no longer works.
 * @throws {UnauthenticatedError} when the challenge is over. @throws {TooManyRequestsError} within the minute.
 */
export async function resendCode(
  context: ChallengeContext,
  { id, purpose, now }: { id: string; purpose: ChallengePurpose; now: Date },
): Promise<void> {
  const found = await findOpen(context.db, id, purpose, now);
  if (found === undefined || found.method === 'app') throw OVER();
  await context.throttle.consume('send_code', String(found.user_id));
  await context.db.transaction(async (tx) => {
    const [open] = await query<{ sent_at: Date; method: 'email' | 'sms'; user_id: number }>(
      tx,
      sql`select sent_at, method, user_id from tfa_challenge where id = ${id} and used_at is null for update`,
    );
    if (open === undefined) throw OVER();
    const wait = open.sent_at.getTime() + RESEND_AFTER_MS - now.getTime();
    if (wait > 0)
      throw new TooManyRequestsError(
        wait / 1000,
        'We sent a code less than a minute ago. Wait a moment, then ask for a new one.',
      );
    await sendNewCode(context, tx, { id, user_id: open.user_id, method: open.method, now });
  });
}

async function sendNewCode(
  { encryptionKey }: ChallengeContext,
  tx: Transaction,
  { id, user_id, method, now }: { id: string; user_id: number; method: 'email' | 'sms'; now: Date },
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
  if (user !== undefined) await sendCode(tx, { challenge_id: id, user, method, code, sequence: now.getTime() });
}

/**
 * Tries a code. Every try is counted before it is looked at, on the challenge and on the account, so that twenty at the
 * same time are twenty tries and a right code works once.
 * @returns the account that the challenge belongs to, and the seed that was waiting for it, if any.
 * @throws {UnauthenticatedError} for a wrong code, and for a challenge that is unknown, of another purpose, used, expired
 *   or tried five times. @throws {TooManyRequestsError} after ten wrong codes of the account in fifteen minutes.
 */
export async function passChallenge(
  context: ChallengeContext,
  { id, purpose, answer, now }: { id: string; purpose: ChallengePurpose; answer: CodeAnswer; now: Date },
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
    const [used] = await query(
      tx,
      sql`update tfa_challenge set used_at = ${now} where id = ${id} and used_at is null returning id`,
    );
    if (used === undefined) throw OVER();
  });
  await throttle.giveBack('code', String(open.user_id));
  const { user_id, method, new_secret, sent_to } = challenge;
  return { user_id, method, new_secret, sent_to };
}

/**
 * Tries a code of a signed-in user, by the method that their account has on. Where codes are sent, `beginTwoFactor` with that
 * method has sent it. A set-up of another method, begun before this one was on, proves nothing.
 * @throws as `passChallenge` does.
 */
export async function passOwnCode(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  { method, answer, now }: { method: TwoFactorMethod; answer: CodeAnswer; now: Date },
): Promise<void> {
  if (method !== 'app') {
    await passNewest(context, user, sql`method = ${method}`, { answer, now });
    return;
  }
  const { id } = await openChallenge(context, user, { purpose: 'change', method, now });
  await passChallenge(context, { id, purpose: 'change', answer, now });
}

/** Tries a code on the change of two-factor that was begun last. @throws as `passChallenge` does. */
export async function passLastChange(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  tried: { answer: CodeAnswer; now: Date },
): Promise<PassedChallenge> {
  return passNewest(context, user, sql`true`, tried);
}

async function passNewest(
  context: ChallengeContext,
  user: Pick<User, 'id'>,
  which: Sql,
  { answer, now }: { answer: CodeAnswer; now: Date },
): Promise<PassedChallenge> {
  const [last] = await query<{ id: string }>(
    context.db,
    sql`select id from tfa_challenge
         where user_id = ${user.id} and purpose = 'change' and used_at is null and ${which}
         order by created_at desc limit 1`,
  );
  // An id that nobody has: the same answer as for a challenge that is over.
  return passChallenge(context, { id: last?.id ?? randomUUID(), purpose: 'change', answer, now });
}

/** Ends every code that was begun and not given yet. What is left of it opens nothing. */
export async function endChallenges(
  tx: Transaction,
  userId: number,
  now: Date,
  purpose: ChallengePurpose | null = null,
): Promise<void> {
  await query(
    tx,
    sql`update tfa_challenge set used_at = ${now} where user_id = ${userId} and used_at is null
           and purpose = coalesce(${purpose}, purpose)`,
  );
}

/** What a code that was right opens. */
export interface PassedChallenge {
  user_id: number;
  method: TwoFactorMethod;
  /** The seed that was waiting for it, if any. */
  new_secret: Buffer | null;
  /** The number or address that the code was sent to; null for an app's. */
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
    // Only the app method has backup codes, and a seed that is still being set up has none yet.
    const mayHave = challenge.method === 'app' && challenge.new_secret === null;
    return mayHave && spendBackupCode(tx, encryptionKey, challenge.user_id, backup_code, now);
  }
  if (challenge.method !== 'app') {
    const kept = challenge.code_hash;
    return kept !== null && hashesOf(encryptionKey, challenge.id, code).some((given) => timingSafeEqual(given, kept));
  }
  const [account] = await query<{ two_factor_secret: Buffer | null }>(
    tx,
    sql`select two_factor_secret from user_account where id = ${challenge.user_id}`,
  );
  const sealed = challenge.new_secret ?? account?.two_factor_secret ?? null;
  if (sealed === null) return false;
  const step = findTotpStep(openTotpSecret(encryptionKey, challenge.user_id, sealed), code, now);
  return step !== null && claimTotpStep(tx, challenge.user_id, step);
}

/** A step works once, on whatever challenge, also at the same moment. */
async function claimTotpStep(tx: Transaction, userId: number, step: number): Promise<boolean> {
  const taken = await query(
    tx,
    sql`update user_account set totp_last_step = ${step}
         where id = ${userId} and (totp_last_step is null or totp_last_step < ${step}) returning id`,
  );
  return taken.length === 1;
}

/** Bound to its challenge and keyed: six digits alone would be guessed from their hash at once. */
function hashesOf(encryptionKey: EncryptionKey, challengeId: string, code: string): Buffer[] {
  return keyedHashes(encryptionKey, 'one-time code', `${challengeId}:${code}`);
}
