import { encode } from 'next-auth/jwt';
import type { TwoFactorChallenge } from '../api/api-shapes.ts';
import { serverEnvironment } from '../api/server-environment.ts';
import { openSealed } from './open-sealed.ts';

const SALT = 'two-factor';

export type Challenge = Pick<TwoFactorChallenge, 'tfa_type' | 'tfa_method' | 'tfa_token' | 'expires_at'>;

/** Returns the cookie's value and the seconds until the challenge ends. `now` is in milliseconds since the epoch. */
export async function sealChallenge(challenge: Challenge, now: number): Promise<{ value: string; maxAge: number }> {
  const maxAge = Math.max(1, Math.floor((Date.parse(challenge.expires_at) - now) / 1000));
  const value = await encode({ token: { challenge }, secret: serverEnvironment().secret, salt: SALT, maxAge });
  return { value, maxAge };
}

/** Returns the challenge in a cookie's value, or null if it has expired or was not sealed by us. */
export async function openChallenge(value: string, now: number): Promise<Challenge | null> {
  try {
    const challenge = (await openSealed({ token: value, salt: SALT }))?.challenge;
    return isChallenge(challenge) && now < Date.parse(challenge.expires_at) ? challenge : null;
  } catch {
    return null;
  }
}

/** True for a challenge of the API with a readable end. */
export function isChallenge(value: unknown): value is Challenge {
  if (typeof value !== 'object' || value === null || !('tfa_token' in value) || !('expires_at' in value)) return false;
  return typeof value.tfa_token === 'string' && !Number.isNaN(Date.parse(String(value.expires_at)));
}
