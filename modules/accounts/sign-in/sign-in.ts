import type { Database, Executor } from '@case-platform/lib/database';
import { UnauthenticatedError } from '@case-platform/lib/errors';
import { networkOf } from '@case-platform/lib/http/network';
import { query, sql } from '@case-platform/lib/sql';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import { PASSWORD_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import { isRightPassword, runInTurn } from '../password/passwords.ts';
import type { Permission } from '../roles/catalogue.ts';
import { findActiveUserById, findCaller, type User } from '../users.ts';
import {
  type ChallengeContext,
  type ChallengePurpose,
  type CodeAnswer,
  openChallenge,
  passChallenge,
  resendCode,
  type TwoFactorMethod,
} from './challenges.ts';
import { isKnownAddress, recordSignIn, type Visitor } from './sign-ins.ts';
import { issueTokens, signToken, type TokenClaims, type TokenKeys, type TokenPair, verifyToken } from './tokens.ts';

export interface Credentials {
  email_address: string;
  user_type: UserType;
  /** As typed; the API calls the field `pass_hash` (SIGN-IN-2). */
  password: string;
}

/** The reply that asks for a code (TWO-FACTOR-1). */
export interface TwoFactorRequired {
  tfa_required: true;
  tfa_type: 'totp' | 'otp';
  tfa_method: TwoFactorMethod;
  tfa_token: string;
  expires_at: string;
}

export interface SignInContext extends ChallengeContext {
  tokenKeys: TokenKeys;
}

export interface TokenHolder {
  user: User;
  /** An admin's current permissions; empty for anyone else. */
  permissions: ReadonlySet<Permission>;
  signedInAt: Date;
}

const REFUSED = 'The email address, password and role don’t match.';

/**
 * Checks a password and returns the account with its second factor, if any. Failures are counted per account and address. The
 * limits are checked within the turn, so that a burst gains only a few tries (SIGN-IN-7).
 * @throws {UnauthenticatedError} the same, after about the same time, for a wrong password and an unknown account (SIGN-IN-3).
 * @throws {TooManyRequestsError} above the limits of SIGN-IN-4, SIGN-IN-5, and SIGN-IN-6.
 */
export async function authenticate(
  { db, throttle }: Pick<ChallengeContext, 'db' | 'throttle'>,
  { email_address, user_type, password }: Credentials,
  visitor: Visitor,
  now: Date,
): Promise<{ user: User; twoFactorMethod: TwoFactorMethod | null }> {
  const email = normalizeEmail(email_address);
  const account = JSON.stringify([email, user_type]);
  const network = networkOf(visitor.ip);
  const subject = JSON.stringify([email, user_type, network]);
  return runInTurn(async () => {
    await throttle.requireBelowLimit('login', subject);
    await throttle.requireBelowLimit('login_address', network);
    const row = await findForSignIn(db, email, user_type);
    // Guesses from other places must not lock out an owner who signs in from a usual address (SIGN-IN-6).
    const isKnown = await isKnownAddress(db, row?.id ?? 0, visitor.ip, now);
    if (!isKnown) await throttle.requireBelowLimit('login_account', account);
    const correct = [...password].length <= PASSWORD_MAX && (await isRightPassword(password, row?.password_hash));
    if (!correct || row === undefined) {
      await throttle.consume('login', subject);
      await throttle.consume('login_address', network);
      if (!isKnown) await throttle.consume('login_account', account);
      throw new UnauthenticatedError(REFUSED, 'wrong_credentials');
    }
    const { password_hash: _, two_factor_method: twoFactorMethod, ...user } = row;
    return { user, twoFactorMethod };
  });
}

type SignInRow = User & {
  password_hash: string | null;
  two_factor_method: TwoFactorMethod | null;
};

async function findForSignIn(db: Database, email: string, userType: UserType): Promise<SignInRow | undefined> {
  const [row] = await query<SignInRow>(
    db,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id, password_hash,
               two_factor_method
          from user_account where email_address = ${email} and user_type = ${userType} and status = 'active'`,
  );
  return row;
}

/** Signs in to the JSON API: returns tokens (SIGN-IN-1), or a challenge that requires a code (TWO-FACTOR-1). */
export async function signIn(
  context: SignInContext,
  credentials: Credentials,
  visitor: Visitor,
  now: Date,
): Promise<TokenPair | TwoFactorRequired> {
  const { user, twoFactorMethod: method } = await authenticate(context, credentials, visitor, now);
  if (method === null) return completeSignIn(context, user, visitor, now);
  const challenge = await openChallenge(context, user, { purpose: 'api_login', method }, now);
  const { token } = await signToken(context.tokenKeys, 'tfa', user, { jti: challenge.id }, now);
  return {
    tfa_required: true,
    tfa_type: method === 'app' ? 'totp' : 'otp',
    tfa_method: method,
    tfa_token: token,
    expires_at: challenge.expires_at.toISOString(),
  };
}

/** Exchanges a challenge and its code for tokens (TWO-FACTOR-2). */
export async function verifyTwoFactor(
  context: SignInContext,
  { tfaToken, answer }: { tfaToken: string; answer: CodeAnswer },
  visitor: Visitor,
  now: Date,
): Promise<TokenPair> {
  const claims = await readTfaToken(context, tfaToken, now);
  const { user_id } = await passChallenge(context, { ...claims, answer }, now);
  const user = await findActiveUserById(context.db, user_id);
  if (user === null) throw new UnauthenticatedError();
  return completeSignIn(context, user, visitor, now);
}

/** Sends another code for a challenge, at most one a minute (TWO-FACTOR-7). */
export async function resendTwoFactorCode(context: SignInContext, tfaToken: string, now: Date): Promise<void> {
  await resendCode(context, await readTfaToken(context, tfaToken, now), now);
}

async function readTfaToken({ tokenKeys }: SignInContext, token: string, now: Date) {
  const { jti } = await verifyToken(tokenKeys, 'tfa', token, now);
  if (jti === undefined) throw new UnauthenticatedError();
  return { id: jti, purpose: 'api_login' satisfies ChallengePurpose as ChallengePurpose };
}

async function completeSignIn({ db, tokenKeys }: SignInContext, user: User, visitor: Visitor, now: Date) {
  const tokens = await issueTokens(tokenKeys, user, now);
  await recordSignIn(db, user.id, 'api', visitor, now);
  return tokens;
}

/** Issues a new access token. The refresh token is returned unchanged, so that parallel refreshes are safe (TOKEN-6). */
export async function refreshTokens(
  { db, tokenKeys }: Pick<SignInContext, 'db' | 'tokenKeys'>,
  refreshToken: string,
  webSession: string | null,
  now: Date,
): Promise<TokenPair> {
  const claims = await verifyToken(tokenKeys, 'refresh', refreshToken, now);
  const { user, signedInAt } = await findTokenHolder(db, claims, webSession);
  const { token, expiresAt } = await signToken(tokenKeys, 'access', user, { signedInAt }, now);
  return {
    access_token: token,
    refresh_token: refreshToken,
    expires_at: expiresAt.toISOString(),
    token_type: 'Bearer',
  };
}

/**
 * The active user of a token that was verified: the account with its address and type, if it is still the same record
 * (SIGN-IN-8).
 * @throws {UnauthenticatedError} also for an account that was deactivated or re-created, and for a session of the web frontend
 * that has ended.
 */
export async function findTokenHolder(db: Executor, claims: TokenClaims, webSession: string | null): Promise<TokenHolder> {
  const caller = await findCaller(db, claims, webSession);
  if (caller?.user.id !== claims.user_id) throw new UnauthenticatedError();
  return { ...caller, signedInAt: claims.signed_in_at };
}

/**
 * @throws {UnauthenticatedError} `wrong_password`. @throws {TooManyRequestsError} after ten wrong ones of the account in fifteen
 * minutes (PASSWORD-8).
 */
export async function requirePassword(
  { db, throttle }: Pick<ChallengeContext, 'db' | 'throttle'>,
  user: Pick<User, 'id'>,
  password: string,
): Promise<void> {
  await runInTurn(async () => {
    await throttle.requireBelowLimit('password', String(user.id));
    const [row] = await query<{ password_hash: string | null }>(
      db,
      sql`select password_hash from user_account where id = ${user.id}`,
    );
    if (await isRightPassword(password, row?.password_hash)) return;
    await throttle.consume('password', String(user.id));
    throw new UnauthenticatedError('That’s not your current password.', 'wrong_password');
  });
}
