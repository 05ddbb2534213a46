import { encode } from 'next-auth/jwt';
import { serverEnvironment } from '../api/server-environment.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import { openSealed } from './open-sealed.ts';
import { cacheOpenedSession, findOpenedSession } from './opened-sessions.ts';
import type { SessionToken } from './session-shapes.ts';
import { isSignedOut } from './sign-out-marks.ts';

/** The cookie outlives the refresh token, so that people read that their session has ended. In seconds. */
export const SESSION_MAX_AGE = 7 * 24 * 60 * 60;

interface CookieJar {
  get(name: string): { value: string } | undefined;
}

/** The name and attributes of the session cookie, for next-auth and for our own Set-Cookie. */
export function sessionCookie() {
  const { https } = serverEnvironment();
  return {
    name: ownCookieName('next-auth.session-token', https),
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: https } as const,
  };
}

/** Returns the session in these cookies, or null if it is missing, forged, expired, or signed out. */
export async function readSessionCookie(jar: CookieJar): Promise<SessionToken | null> {
  const value = jar.get(sessionCookie().name)?.value;
  if (value === undefined || value === '') return null;
  const token = findOpenedSession(value, Date.now()) ?? (await openSession(value));
  return token === null || isSignedOut(token.sid, Date.now()) ? null : token;
}

async function openSession(value: string): Promise<SessionToken | null> {
  try {
    const token = await openSealed({ token: value });
    if (!isSessionToken(token)) return null;
    if (typeof token.exp === 'number') cacheOpenedSession(value, token, token.exp * 1000);
    return token;
  } catch {
    return null;
  }
}

/** Returns the cookie's value, or null if the person signed out during the request (WEB-11). */
export async function sealSession(token: SessionToken): Promise<string | null> {
  const value = await encode({ token: { ...token }, secret: serverEnvironment().secret, maxAge: SESSION_MAX_AGE });
  return isSignedOut(token.sid, Date.now()) ? null : value;
}

/** Returns the Set-Cookie header for code that runs outside of Next.js. */
export function sessionSetCookie(sealed: string): string {
  const { name, options } = sessionCookie();
  const secure = options.secure ? '; Secure' : '';
  return `${name}=${sealed}; Path=${options.path}; Max-Age=${SESSION_MAX_AGE}; HttpOnly; SameSite=Lax${secure}`;
}

/** True if a decrypted payload has the fields of a session. */
export function isSessionToken(value: unknown): value is SessionToken & { exp?: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'accessToken' in value &&
    typeof value.accessToken === 'string' &&
    'refreshToken' in value &&
    typeof value.refreshToken === 'string' &&
    'sid' in value &&
    typeof value.sid === 'string'
  );
}
