import 'server-only';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { loginPath } from './safe-callback.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { Me, SessionToken } from './session-shapes.ts';

/** The session of the request that is being rendered, with its tokens; null without a session. */
export const currentSession = cache(async (): Promise<SessionToken | null> => readSessionCookie(await cookies()));

/**
 * Returns the session or redirects to the sign-in page. Every page must call this, because proxy.ts only saves people the flash
 * of an empty page and is not the security boundary.
 */
export async function requireSession(): Promise<SessionToken> {
  const session = await currentSession();
  if (session === null || session.tokenError !== undefined) redirect(loginPath(await currentPath()));
  return session;
}

/** Returns the signed-in person without tokens, or redirects to the sign-in page. */
export async function requireMe(): Promise<Me> {
  const { sub, name, userType } = await requireSession();
  return { id: Number(sub), name, userType };
}

/** The path and query of the page that is being rendered, as proxy.ts received them. */
export async function currentPath(): Promise<string> {
  return (await headers()).get('x-path') ?? '/';
}
