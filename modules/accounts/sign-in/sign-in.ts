import type { Database } from '@case-platform/lib/database';
import { UnauthenticatedError } from '@case-platform/lib/errors';
import { networkOf } from '@case-platform/lib/http/network';
import { query, sql } from '@case-platform/lib/sql';
import { PASSWORD_MAX } from '@case-platform/words/limits';
import { fromApiUserType, type UserType } from '@case-platform/words/user-types';
import { inTurn, verifyPassword } from '../password/passwords.ts';
import { findActiveUser, findActiveUserById, normalizeEmail, type User } from '../users.ts';
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
import { issueTokens, signToken, type TokenKeys, type TokenPair, verifyToken } from './tokens.ts';

export interface Credentials {
  email_address: string;
  user_type: UserType;
  /** The password as typed: `pass_hash` is the field's historical name. */
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

/** What signing in to the JSON API works with. */
export interface SignInContext extends ChallengeContext {
  tokenKeys: TokenKeys;
}

/** The person whom a token names, and when they signed in. */
export interface TokenHolder {
  user: User;
  signedInAt: Date;
}

const REFUSED = 'The email address, password and role don’t match.';

/**
 * The account behind a correct password, and the second factor that it asks for, if any. Failures are counted for the
 * pair and the address they come from, and asked for in the try's own turn: a burst gains no more than a few tries.
 * @throws {UnauthenticatedError} the same, after about the same time, for a wrong password and for an unknown pair.
 * @throws {TooManyRequestsError} after ten failures in fifteen minutes; after thirty from one address, whatever the account;
 *   after a hundred in a day for one account, from addresses that it has not signed in from (SIGN-IN-6).
 */
export async function checkPassword(
  { db, throttle }: Pick<ChallengeContext, 'db' | 'throttle'>,
  { email_address, user_type, password }: Credentials,
  visitor: Visitor,
): Promise<{ user: User; twoFactorMethod: TwoFactorMethod | null }> {
  const email = normalizeEmail(email_address);
  const account = JSON.stringify([email, user_type]);
  const network = networkOf(visitor.ip);
  const subject = JSON.stringify([email, user_type, network]);
  return inTurn(async () => {
    await throttle.check('login', subject);
    await throttle.check('login_address', network);
    const found = await findForSignIn(db, email, user_type);
    // Who guesses from everywhere must not lock the owner out, who comes from where they always come from.
    const isKnown = await isKnownAddress(db, found?.id ?? 0, visitor.ip, new Date());
    if (!isKnown) await throttle.check('login_account', account);
    const correct = [...password].length <= PASSWORD_MAX && (await verifyPassword(password, found?.password_hash));
    if (!correct || found === undefined) {
      await throttle.consume('login', subject);
      await throttle.consume('login_address', network);
      if (!isKnown) await throttle.consume('login_account', account);
      throw new UnauthenticatedError(REFUSED, 'wrong_credentials');
    }
    const { password_hash: _, two_factor_method: twoFactorMethod, ...user } = found;
    return { user, twoFactorMethod };
  });
}

type SignInRow = User & {
  password_hash: string | null;
  two_factor_method: TwoFactorMethod | null;
};

async function findForSignIn(db: Database, email: string, userType: UserType): Promise<SignInRow | undefined> {
  const [found] = await query<SignInRow>(
    db,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id, password_hash,
               two_factor_method
          from user_account where email_address = ${email} and user_type = ${userType} and status = 'active'`,
  );
  return found;
}

/** Signs in to the JSON API: returns tokens (SIGN-IN-1), or a partial session that requires a code (TWO-FACTOR-1). */
export async function signIn(
  context: SignInContext,
  credentials: Credentials,
  visitor: Visitor,
  now: Date,
): Promise<TokenPair | TwoFactorRequired> {
  const { user, twoFactorMethod: method } = await checkPassword(context, credentials, visitor);
  if (method === null) return completeSignIn(context, user, visitor, now);
  const challenge = await openChallenge(context, user, { purpose: 'api_login', method, now });
  const { token } = await signToken(context.tokenKeys, 'tfa', user, { now, jti: challenge.id });
  return {
    tfa_required: true,
    tfa_type: method === 'app' ? 'totp' : 'otp',
    tfa_method: method,
    tfa_token: token,
    expires_at: challenge.expires_at.toISOString(),
  };
}

/** Exchanges a partial session and its code for tokens (TWO-FACTOR-2). */
export async function verifyTwoFactor(
  context: SignInContext,
  { tfaToken, answer }: { tfaToken: string; answer: CodeAnswer },
  visitor: Visitor,
  now: Date,
): Promise<TokenPair> {
  const claims = await readTfaToken(context, tfaToken, now);
  const { user_id } = await passChallenge(context, { ...claims, answer, now });
  const user = await findActiveUserById(context.db, user_id);
  if (user === null) throw new UnauthenticatedError();
  return completeSignIn(context, user, visitor, now);
}

/** Another code for a partial session, at most one a minute. */
export async function resendTwoFactorCode(context: SignInContext, tfaToken: string, now: Date): Promise<void> {
  await resendCode(context, { ...(await readTfaToken(context, tfaToken, now)), now });
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

/** A new access token. The refresh token comes back unchanged, so that parallel refreshes are safe. */
export async function refreshTokens(
  { db, tokenKeys }: Pick<SignInContext, 'db' | 'tokenKeys'>,
  refreshToken: string,
  now: Date,
  webSession: string | null = null,
): Promise<TokenPair> {
  const { user, signedInAt } = await findTokenHolder(db, tokenKeys, 'refresh', refreshToken, now, webSession);
  const { token, expiresAt } = await signToken(tokenKeys, 'access', user, { now, signedInAt });
  return {
    access_token: token,
    refresh_token: refreshToken,
    expires_at: expiresAt.toISOString(),
    token_type: 'Bearer',
  };
}

/**
 * The active user whom a token speaks of: looked up by the pair, and still the same record (SIGN-IN-8).
 * @throws {UnauthenticatedError} also for an account that was deactivated, or deleted and made again, and for a sign-in of
 * the web frontend that has ended.
 */
export async function findTokenHolder(
  db: Database,
  keys: TokenKeys,
  purpose: 'access' | 'refresh',
  token: string,
  now = new Date(),
  webSession: string | null = null,
): Promise<TokenHolder> {
  const claims = await verifyToken(keys, purpose, token, now);
  const user_type = fromApiUserType(claims.user_type);
  const user = user_type && (await findActiveUser(db, { email_address: claims.email_address, user_type }, webSession));
  if (!user || user.id !== claims.user_id) throw new UnauthenticatedError();
  return { user, signedInAt: claims.signed_in_at };
}

/** Whether a signed-in user's current password is right; tries are throttled an account. */
export async function confirmPassword(
  { db, throttle }: Pick<ChallengeContext, 'db' | 'throttle'>,
  user: Pick<User, 'id'>,
  password: string,
): Promise<void> {
  await inTurn(async () => {
    await throttle.check('password', String(user.id));
    const [row] = await query<{ password_hash: string | null }>(
      db,
      sql`select password_hash from user_account where id = ${user.id}`,
    );
    if (await verifyPassword(password, row?.password_hash)) return;
    await throttle.consume('password', String(user.id));
    throw new UnauthenticatedError('That’s not your current password.', 'wrong_password');
  });
}
