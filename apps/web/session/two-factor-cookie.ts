import 'server-only';
import { cookies } from 'next/headers';
import { serverEnvironment } from '../api/server-environment.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import { type Challenge, openChallenge, sealChallenge } from './two-factor-challenge.ts';

/**
 * The partial session between password and code. Its token stays in an encrypted cookie that scripts cannot read, so a
 * phone may reload the page while the person looks up the code, and the browser still never holds a token.
 */
const name = () => ownCookieName('case-two-factor', serverEnvironment().https);

/** Keeps the challenge until it expires. */
export async function keepChallenge(challenge: Challenge): Promise<void> {
  const { value, maxAge } = await sealChallenge(challenge, Date.now());
  const jar = await cookies();
  jar.set(name(), value, { httpOnly: true, sameSite: 'lax', path: '/', secure: serverEnvironment().https, maxAge });
}

/** The challenge that waits for a code in this browser, or null. */
export async function readChallenge(): Promise<Challenge | null> {
  const value = (await cookies()).get(name())?.value;
  return value === undefined ? null : openChallenge(value, Date.now());
}

/** Deletes the challenge: it was met, it has ended, or the person wants to start again. */
export async function dropChallenge(): Promise<void> {
  (await cookies()).set(name(), '', { httpOnly: true, path: '/', secure: serverEnvironment().https, maxAge: 0 });
}
