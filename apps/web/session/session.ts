import 'server-only';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { loginPath } from './safe-callback.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { Me, SessionToken } from './session-shapes.ts';

/** The session of the request being rendered, tokens included; null when there is none. */
export const currentSession = cache(async (): Promise<SessionToken | null> => readSessionCookie(await cookies()));

/**
 * The session, or the sign-in page. Every page asks for itself: proxy.ts spares people a flash of an empty page, but it is
 * not the boundary.
 */
export async function requireSession(): Promise<SessionToken> {
  const session = await currentSession();
  if (session === null || session.tokenError !== undefined) redirect(loginPath(await currentPath()));
  return session;
}

/** The signed-in person, without anything secret. */
export async function requireMe(): Promise<Me> {
  const { sub, name, userType } = await requireSession();
  return { id: Number(sub), name, userType };
}

/** The path being rendered, as proxy.ts saw it. */
export async function currentPath(): Promise<string> {
  return (await headers()).get('x-path') ?? '/';
}
