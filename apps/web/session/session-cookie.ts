import { encode } from 'next-auth/jwt';
import { serverEnvironment } from '../api/server-environment.ts';
import { ownCookieName } from '../look/own-cookie.ts';
import { openSealed } from './open-sealed.ts';
import { openedSession, rememberOpened } from './opened-sessions.ts';
import type { SessionToken } from './session-shapes.ts';
import { isSignedOut } from './sign-out-marks.ts';

/** The cookie outlives the refresh token, so that people are told that their session ended. */
export const SESSION_MAX_AGE = 7 * 24 * 60 * 60;

interface CookieJar {
  get(name: string): { value: string } | undefined;
}

/** Name and attributes of the session cookie, the same for next-auth and for what we set ourselves. */
export function sessionCookie() {
  const { https } = serverEnvironment();
  return {
    name: ownCookieName('next-auth.session-token', https),
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: https } as const,
  };
}

/** The session in these cookies, or null: absent, forged, expired, or signed out meanwhile. */
export async function readSessionCookie(jar: CookieJar): Promise<SessionToken | null> {
  const value = jar.get(sessionCookie().name)?.value;
  if (value === undefined || value === '') return null;
  const token = openedSession(value, Date.now()) ?? (await openSession(value));
  return token === null || isSignedOut(token.sid, Date.now()) ? null : token;
}

async function openSession(value: string): Promise<SessionToken | null> {
  try {
    const token = await openSealed({ token: value });
    if (!isSessionToken(token)) return null;
    if (typeof token.exp === 'number') rememberOpened(value, token, token.exp * 1000);
    return token;
  } catch {
    return null;
  }
}

/** The value to set, or null when the person has signed out while the request was under way. */
export async function sealSession(token: SessionToken): Promise<string | null> {
  const value = await encode({ token: { ...token }, secret: serverEnvironment().secret, maxAge: SESSION_MAX_AGE });
  return isSignedOut(token.sid, Date.now()) ? null : value;
}

/** The Set-Cookie header for a sealed session, where no framework writes it. */
export function sessionSetCookie(sealed: string): string {
  const { name, options } = sessionCookie();
  const secure = options.secure ? '; Secure' : '';
  return `${name}=${sealed}; Path=${options.path}; Max-Age=${SESSION_MAX_AGE}; HttpOnly; SameSite=Lax${secure}`;
}

/** Whether a decrypted payload is one of ours. */
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
