import { createHash, createSecretKey } from 'node:crypto';
import { UnauthenticatedError } from '@case-platform/lib/errors';
import { fromApiUserType, toApiUserType, type UserType } from '@case-platform/words/user-types';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { User } from '../users.ts';

/** Only `access` opens anything other than its own endpoint (TOKEN-4). */
export type TokenPurpose = 'access' | 'refresh' | 'tfa';

export interface TokenKeys {
  /** Claims of tokens whose signature was verified, so that a client's next call need not verify it again; the newest last. */
  verified: Map<string, JWTPayload>;
  current: { kid: string; key: CryptoKey };
  byKid: ReadonlyMap<string, CryptoKey>;
  /** Lifetimes in seconds. */
  lifetime: Record<TokenPurpose, number>;
}

export interface TokenClaims {
  user_id: number;
  email_address: string;
  user_type: UserType;
  jti: string | undefined;
  /** The time of the sign-in, also in a refreshed token (IDENTITY-3). */
  signed_in_at: Date;
}

/** The response to a completed sign-in (SIGN-IN-1). */
export interface TokenPair {
  access_token: string;
  refresh_token: string;
  /** The end of the access token, ISO 8601 in UTC. */
  expires_at: string;
  token_type: 'Bearer';
}

const ALGORITHM = 'HS256';
const ISSUER = 'case-platform';
const AUDIENCE = 'case-platform-api';
const TFA_LIFETIME = 600;
/** About 10 MB. */
const VERIFIED_MAX = 10_000;

/** Prepares the signing keys. The previous secret, if any, only verifies (TOKEN-3). */
export function createTokenKeys(options: {
  secret: string;
  previousSecret?: string | undefined;
  accessTokenTtl: number;
  refreshTokenTtl: number;
}): TokenKeys {
  const keys = [options.secret, options.previousSecret].filter((secret) => secret !== undefined).map(toKey);
  const [current] = keys;
  if (current === undefined) throw new Error('a signing secret is needed');
  return {
    verified: new Map(),
    current,
    byKid: new Map(keys.map(({ kid, key }) => [kid, key])),
    lifetime: { access: options.accessTokenTtl, refresh: options.refreshTokenTtl, tfa: TFA_LIFETIME },
  };
}

function toKey(secret: string): { kid: string; key: CryptoKey } {
  const kid = createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
  // Imported once, because jose would import a plain secret again for every check.
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return { kid, key: createSecretKey(Buffer.from(secret)).toCryptoKey(algorithm, false, ['sign', 'verify']) };
}

/** Signs a token. @param options.signedInAt the time of an earlier sign-in; unset if it is now. */
export async function signToken(
  keys: TokenKeys,
  purpose: TokenPurpose,
  user: Pick<User, 'id' | 'email_address' | 'user_type'>,
  { jti, signedInAt }: { jti?: string; signedInAt?: Date },
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const expires = issuedAt + keys.lifetime[purpose];
  const claims = { email_address: user.email_address, user_type: toApiUserType(user.user_type), typ: purpose };
  const also = {
    ...(jti === undefined ? {} : { jti }),
    auth_time: Math.floor((signedInAt ?? now).getTime() / 1000),
  };
  const jwt = new SignJWT({ ...claims, ...also })
    .setProtectedHeader({ alg: ALGORITHM, kid: keys.current.kid, typ: 'JWT' })
    .setSubject(String(user.id))
    .setIssuedAt(issuedAt)
    .setExpirationTime(expires)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE);
  return { token: await jwt.sign(keys.current.key), expiresAt: new Date(expires * 1000) };
}

export async function issueTokens(keys: TokenKeys, user: User, now: Date): Promise<TokenPair> {
  const access = await signToken(keys, 'access', user, { signedInAt: now }, now);
  const refresh = await signToken(keys, 'refresh', user, { signedInAt: now }, now);
  return {
    access_token: access.token,
    refresh_token: refresh.token,
    expires_at: access.expiresAt.toISOString(),
    token_type: 'Bearer',
  };
}

/**
 * Verifies signature, algorithm, times, issuer, audience, and purpose (TOKEN-3).
 * @throws {UnauthenticatedError} for any other token.
 */
export async function verifyToken(keys: TokenKeys, purpose: TokenPurpose, token: string, now: Date): Promise<TokenClaims> {
  const payload = keys.verified.get(token) ?? (await verifySignature(keys, token, now));
  if ((payload.exp ?? 0) * 1000 <= now.getTime()) throw new UnauthenticatedError();
  const { sub, typ, email_address, user_type, jti, auth_time } = payload;
  const type = typeof user_type === 'string' ? fromApiUserType(user_type) : undefined;
  const isComplete = typeof email_address === 'string' && type !== undefined && typeof auth_time === 'number';
  if (typ !== purpose || !isComplete) throw new UnauthenticatedError();
  const signed_in_at = new Date(auth_time * 1000);
  return { user_id: Number(sub), email_address, user_type: type, jti, signed_in_at };
}

async function verifySignature(keys: TokenKeys, token: string, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keys.byKid.get(kid ?? '') ?? Promise.reject(new Error('kid')), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'iat'],
      currentDate: now,
    });
    keys.verified.set(token, payload);
    const [oldest] = keys.verified.keys();
    if (keys.verified.size > VERIFIED_MAX && oldest !== undefined) keys.verified.delete(oldest);
    return payload;
  } catch {
    throw new UnauthenticatedError();
  }
}
