import { type NextRequest, NextResponse } from 'next/server';
import { serverEnvironment } from './api/server-environment.ts';
import { visitorIn } from './api/visitor.ts';
import { contentSecurityPolicy } from './server/content-security-policy.ts';
import { ensureFreshSession } from './session/api-auth.ts';
import { isOpenPath } from './session/open-paths.ts';
import { loginPath, safeCallback } from './session/safe-callback.ts';
import { readSessionCookie, SESSION_MAX_AGE, sealSession, sessionCookie } from './session/session-cookie.ts';
import type { SessionToken } from './session/session-shapes.ts';

/** Every request except the excluded paths (WEB-2). */
export const config = { matcher: ['/((?!api/|_next/static/|_next/image/|_next/image$|favicon\\.ico$).*)'] };

/**
 * Verifies the session of every page, renews its access token while a cookie can still be set, and sets the page's
 * Content-Security-Policy. Pages check the session themselves too.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname, search, searchParams } = request.nextUrl;
  const { session, cookie } = await renewedSession(request);
  const signedIn = session !== null && session.tokenError === undefined;

  let response: NextResponse;
  if (!signedIn && !isOpenPath(pathname)) {
    response = redirect(request, loginPath(pathname + search));
  } else if (signedIn && pathname === '/login' && !searchParams.has('session')) {
    response = redirect(request, safeCallback(searchParams.get('callbackUrl')));
  } else {
    response = page(request, cookie);
  }
  if (cookie !== null) {
    response.cookies.set(sessionCookie().name, cookie, { ...sessionCookie().options, maxAge: SESSION_MAX_AGE });
  }
  return response;
}

async function renewedSession(request: NextRequest): Promise<{ session: SessionToken | null; cookie: string | null }> {
  const before = await readSessionCookie(request.cookies);
  if (before === null) return { session: null, cookie: null };
  const { token, changed } = await ensureFreshSession(before, visitorIn(request.headers));
  if (!changed) return { session: token, cookie: null };
  const cookie = await sealSession(token);
  return { session: cookie === null ? null : token, cookie };
}

/** Lets Next.js render the page with the renewed cookie, its own path, and the nonce for its scripts. */
function page(request: NextRequest, cookie: string | null): NextResponse {
  const { storageOrigin, https } = serverEnvironment();
  const nonce = crypto.randomUUID();
  const policy = contentSecurityPolicy({ nonce, storageOrigin, https });
  if (cookie !== null) request.cookies.set(sessionCookie().name, cookie);
  const headers = new Headers(request.headers);
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  headers.set('x-path', request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

function redirect(request: NextRequest, path: string): NextResponse {
  return NextResponse.redirect(new URL(path, request.nextUrl.origin), 307);
}
