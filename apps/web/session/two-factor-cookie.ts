import 'server-only';
import { cookies } from 'next/headers';
import { serverEnvironment } from '../api/server-environment.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import { type Challenge, openChallenge, sealChallenge } from './two-factor-challenge.ts';

/**
 * The cookie of the challenge between password and code. It is encrypted and not readable by scripts, so that a phone may reload
 * the page while the person looks up the code, and the browser still never has a token.
 */
const name = () => ownCookieName('case-two-factor', serverEnvironment().https);

export async function storeChallenge(challenge: Challenge): Promise<void> {
  const { value, maxAge } = await sealChallenge(challenge, Date.now());
  const jar = await cookies();
  jar.set(name(), value, { httpOnly: true, sameSite: 'lax', path: '/', secure: serverEnvironment().https, maxAge });
}

export async function readChallenge(): Promise<Challenge | null> {
  const value = (await cookies()).get(name())?.value;
  return value === undefined ? null : openChallenge(value, Date.now());
}

/** Deletes the challenge, because it was answered, has ended, or the person starts over. */
export async function deleteChallenge(): Promise<void> {
  (await cookies()).set(name(), '', { httpOnly: true, path: '/', secure: serverEnvironment().https, maxAge: 0 });
}
