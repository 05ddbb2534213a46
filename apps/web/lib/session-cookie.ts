import 'server-only';
import { decode, encode } from 'next-auth/jwt';
import { serverEnvironment } from './server-environment.ts';
import type { SessionToken } from './session-shapes.ts';
import { isSignedOut } from './sign-out-marks.ts';

/** The cookie outlives the refresh token, so that a session which has ended can say so instead of just being gone. */
export const SESSION_MAX_AGE = 7 * 24 * 60 * 60;

interface CookieJar {
  get(name: string): { value: string } | undefined;
}

/** Name and attributes of the session cookie, the same for next-auth and for what we set ourselves. */
export function sessionCookie() {
  const { https } = serverEnvironment();
  return {
    name: `${https ? '__Secure-' : ''}next-auth.session-token`,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: https } as const,
  };
}

/** The session in these cookies, or null: absent, forged, expired, or signed out meanwhile. */
export async function readSessionCookie(jar: CookieJar): Promise<SessionToken | null> {
  const value = jar.get(sessionCookie().name)?.value;
  if (value === undefined || value === '') return null;
  try {
    const token = await decode({ token: value, secret: serverEnvironment().secret });
    if (!isSessionToken(token) || isSignedOut(token.sid, Date.now())) return null;
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

/** Whether a decrypted payload is one of ours. */
export function isSessionToken(value: unknown): value is SessionToken {
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
