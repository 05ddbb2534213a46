import type { Database } from '@case-platform/db';
import { UnauthenticatedError } from '@case-platform/lib/errors';
import { PASSWORD_MAX, verifyPassword } from './passwords.ts';
import { issueTokens, signToken, type TokenKeys, type TokenPair, verifyToken } from './tokens.ts';
import { fromApiUserType, type UserType } from './user-types.ts';
import { findActiveUser, normalizeEmail, type User } from './users.ts';

export type TwoFactorMethod = 'app' | 'email' | 'sms';

export interface Credentials {
  email_address: string;
  user_type: UserType;
  /** The password as typed: `pass_hash` is the field's historical name. */
  password: string;
}

/** The reply that asks for a code (specification, 'Token response'). */
export interface TwoFactorRequired {
  tfa_required: true;
  tfa_type: 'totp' | 'otp';
  tfa_method: TwoFactorMethod;
  tfa_token: string;
  expires_at: string;
}

const REFUSED = 'Email, role and password do not match.';

/**
 * The account behind a correct password, and the second factor that it asks for, if any.
 * @throws {UnauthenticatedError} the same, after about the same time, for a wrong password and for an unknown pair.
 */
export async function checkPassword(
  db: Database,
  { email_address, user_type, password }: Credentials,
): Promise<{ user: User; twoFactorMethod: TwoFactorMethod | null }> {
  const found = await db
    .selectFrom('user_account')
    .select(['id', 'email_address', 'user_type', 'first_name', 'last_name', 'agency_id', 'admin_role_id'])
    .select(['password_hash', 'two_factor_method'])
    .where('email_address', '=', normalizeEmail(email_address))
    .where('user_type', '=', user_type)
    .where('status', '=', 'active')
    .executeTakeFirst();
  const correct = password.length <= PASSWORD_MAX && (await verifyPassword(password, found?.password_hash));
  if (!correct || found === undefined) throw new UnauthenticatedError(REFUSED, 'wrong_credentials');
  const { password_hash: _, two_factor_method, ...user } = found;
  return { user: user as User, twoFactorMethod: two_factor_method as TwoFactorMethod | null };
}

/** Login to the JSON API: tokens, or the demand for a code. */
export async function signIn(
  db: Database,
  keys: TokenKeys,
  credentials: Credentials,
  now = new Date(),
): Promise<TokenPair | TwoFactorRequired> {
  const { user, twoFactorMethod } = await checkPassword(db, credentials);
  if (twoFactorMethod === null) return issueTokens(keys, user, now);
  const { token, expiresAt } = await signToken(keys, 'tfa', user, { now });
  return {
    tfa_required: true,
    tfa_type: twoFactorMethod === 'app' ? 'totp' : 'otp',
    tfa_method: twoFactorMethod,
    tfa_token: token,
    expires_at: expiresAt.toISOString(),
  };
}

/** A new access token. The refresh token comes back unchanged, so that parallel refreshes are safe. */
export async function refreshTokens(
  db: Database,
  keys: TokenKeys,
  refreshToken: string,
  now = new Date(),
): Promise<TokenPair> {
  const user = await findUserByToken(db, keys, 'refresh', refreshToken, now);
  const { token, expiresAt } = await signToken(keys, 'access', user, { now });
  return {
    access_token: token,
    refresh_token: refreshToken,
    expires_at: expiresAt.toISOString(),
    token_type: 'Bearer',
  };
}

/**
 * The active user whom a token speaks of: looked up by the pair, and still the same record (specification, 'JSON API' 2).
 * @throws {UnauthenticatedError} also for an account that was deactivated, or deleted and made again.
 */
export async function findUserByToken(
  db: Database,
  keys: TokenKeys,
  purpose: 'access' | 'refresh' | 'tfa',
  token: string,
  now = new Date(),
): Promise<User> {
  const claims = await verifyToken(keys, purpose, token, now);
  const user_type = fromApiUserType(claims.user_type);
  const user = user_type && (await findActiveUser(db, { email_address: claims.email_address, user_type }));
  if (!user || user.id !== claims.user_id) throw new UnauthenticatedError();
  return user;
}
