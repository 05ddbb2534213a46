import { type NextRequest, NextResponse } from 'next/server';
import { freshSession } from '../../../lib/fresh-session.ts';
import { apiTarget, isSameOrigin, requestHeaders, responseHeaders } from '../../../lib/pass-on.ts';
import { serverEnvironment } from '../../../lib/server-environment.ts';
import { readSessionCookie, SESSION_MAX_AGE, sealSession, sessionCookie } from '../../../lib/session-cookie.ts';
import { isSignedOut, onSignedOut } from '../../../lib/sign-out-marks.ts';

export const dynamic = 'force-dynamic';

/** `duplex` is what fetch asks for with a body that is still being read; the DOM's types do not know it. */
type StreamingRequest = RequestInit & { duplex?: 'half' };

/**
 * Passes a browser's call on to the JSON API with the session's token, streaming both ways and keeping nothing. The browser
 * itself never holds a token.
 */
async function passOn(request: NextRequest): Promise<Response> {
  const { apiUrl, webOrigin } = serverEnvironment();
  if (!isSameOrigin(request.method, request.headers, webOrigin)) {
    return problem(403, 'cross_site', 'This request came from another site.');
  }
  const target = apiTarget(apiUrl, request.nextUrl.pathname, request.nextUrl.search);
  if (target === null) return problem(404, 'not_found', 'There is nothing here.');

  const before = await readSessionCookie(request.cookies);
  const renewed = before === null ? null : await freshSession(before);
  if (renewed?.state === 'stale') return unavailable();
  const token = renewed?.state === 'fresh' ? renewed.token.accessToken : undefined;

  const passing = { target, token, signal: request.signal };
  const response =
    before !== null && isStream(request)
      ? await forwardStream(request, passing, before.sid)
      : await forward(request, passing);
  if (renewed?.changed) {
    // Sealed only now: the person may have signed out while the API was answering.
    const cookie = await sealSession(renewed.token);
    const { name, options } = sessionCookie();
    if (cookie !== null) response.cookies.set(name, cookie, { ...options, maxAge: SESSION_MAX_AGE });
  }
  return response;
}

/** A stream of events goes on for as long as its token; the person may sign out, in another tab, before that. */
function isStream(request: NextRequest): boolean {
  return request.method === 'GET' && request.headers.get('accept') === 'text/event-stream';
}

/** Passes a stream on until its reader leaves or this sign-in ends. */
async function forwardStream(request: NextRequest, passing: Passing, sid: string): Promise<NextResponse> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const forget = onSignedOut(sid, end);
  controller.signal.addEventListener('abort', forget, { once: true });
  request.signal.addEventListener('abort', end, { once: true });
  if (request.signal.aborted || isSignedOut(sid, Date.now())) end();
  const answer = await forward(request, { ...passing, signal: controller.signal });
  if (answer.body === null) forget();
  const body = answer.body?.pipeThrough(new TransformStream({ flush: forget })) ?? null;
  return new NextResponse(body, { status: answer.status, headers: answer.headers });
}

interface Passing {
  target: URL;
  token: string | undefined;
  /** Ends the call to the API. */
  signal: AbortSignal;
}

async function forward(request: NextRequest, { target, token, signal }: Passing): Promise<NextResponse> {
  const init: StreamingRequest = {
    method: request.method,
    headers: requestHeaders(request.headers, token),
    body: request.body,
    cache: 'no-store',
    redirect: 'manual',
    signal,
  };
  if (request.body !== null) init.duplex = 'half';
  try {
    const answer = await fetch(target, init);
    return new NextResponse(answer.body, { status: answer.status, headers: responseHeaders(answer.headers) });
  } catch {
    return unavailable();
  }
}

function unavailable(): NextResponse {
  const response = problem(503, 'unavailable', 'The platform does not answer just now. Try again in a minute.');
  response.headers.set('retry-after', '10');
  return response;
}

function problem(status: number, code: string, message: string): NextResponse {
  const body = JSON.stringify({ type: 'about:blank', title: code, status, detail: message, message, code });
  return new NextResponse(body, { status, headers: { 'content-type': 'application/problem+json' } });
}

export {
  passOn as DELETE,
  passOn as GET,
  passOn as HEAD,
  passOn as OPTIONS,
  passOn as PATCH,
  passOn as POST,
  passOn as PUT,
};
