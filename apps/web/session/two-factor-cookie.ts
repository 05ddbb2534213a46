import 'server-only';
import { cookies } from 'next/headers';
import { encode } from 'next-auth/jwt';
import type { TwoFactorChallenge } from '../api/api-shapes.ts';
import { serverEnvironment } from '../api/server-environment.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import { openSealed } from './open-sealed.ts';

/**
 * The partial session between password and code. Its token stays in an encrypted cookie that scripts cannot read, so a
 * phone may reload the page while the person looks up the code, and the browser still never holds a token.
 */
const name = () => ownCookieName('case-two-factor', serverEnvironment().https);
const SALT = 'two-factor';

type Challenge = Pick<TwoFactorChallenge, 'tfa_type' | 'tfa_method' | 'tfa_token' | 'expires_at'>;

/** Keeps the challenge until it expires. */
export async function keepChallenge(challenge: Challenge): Promise<void> {
  const { secret, https } = serverEnvironment();
  const maxAge = Math.max(1, Math.floor((Date.parse(challenge.expires_at) - Date.now()) / 1000));
  const value = await encode({ token: { challenge }, secret, salt: SALT, maxAge });
  const jar = await cookies();
  jar.set(name(), value, { httpOnly: true, sameSite: 'lax', path: '/', secure: https, maxAge });
}

/** The challenge that waits for a code in this browser, or null. */
export async function readChallenge(): Promise<Challenge | null> {
  const value = (await cookies()).get(name())?.value;
  if (value === undefined) return null;
  try {
    const payload = await openSealed({ token: value, salt: SALT });
    const challenge = payload?.challenge;
    if (!isChallenge(challenge) || Date.parse(challenge.expires_at) <= Date.now()) return null;
    return challenge;
  } catch {
    return null;
  }
}

/** Forgets the challenge: it was met, has died, or the person wants to start again. */
export async function dropChallenge(): Promise<void> {
  (await cookies()).set(name(), '', { httpOnly: true, path: '/', secure: serverEnvironment().https, maxAge: 0 });
}

function isChallenge(value: unknown): value is Challenge {
  return typeof value === 'object' && value !== null && 'tfa_token' in value && 'expires_at' in value;
}
