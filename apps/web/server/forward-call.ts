import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { serverEnvironment } from '../api/server-environment.ts';
import { visitorIn } from '../api/visitor.ts';
import { ensureFreshSession } from '../session/api-auth.ts';
import { readSessionCookie, sealSession, sessionSetCookie } from '../session/session-cookie.ts';
import type { SessionToken } from '../session/session-shapes.ts';
import { isSignedOut, onSignedOut } from '../session/sign-out-marks.ts';
import { findApiPath } from './api-path.ts';
import {
  apiTarget,
  hasOtherReader,
  isSameOrigin,
  type NamedHeaders,
  requestHeaders,
  responseHeaders,
} from './forwarded-headers.ts';
import { isStream, passThrough } from './pass-through.ts';
import { STRICT_TRANSPORT } from './security-headers.ts';

/** True for requests to the JSON API. The session's own calls (`/api/auth/`) belong to Next.js, like everything else. */
export function isForwarded(url: string | undefined): boolean {
  return url?.startsWith('/api/') === true && !url.startsWith('/api/auth/');
}

/**
 * Forwards a browser's call to the JSON API with the session's token, which the browser never has (WEB-3, WEB-4). Bodies are
 * streamed in both directions. This runs before Next.js, which would take most of the time of such a call.
 */
export async function forwardCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await forward(request, response);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${JSON.stringify({ level: 'error', name: 'web', code: 'FORWARD_CALL', message })}\n`);
    response.destroy();
  }
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const environment = serverEnvironment();
  const { method = 'GET' } = request;
  const named: NamedHeaders = { get: (name) => request.headers[name]?.toString() ?? null };
  const [path = '', search = ''] = splitQuery(request.url ?? '');
  const apiPath = findApiPath(path);
  if (apiPath === null) return problem(response, 404, 'not_found', 'We can’t find this.');
  if (!apiPath.methods.includes(method === 'HEAD' ? 'GET' : method)) {
    response.setHeader('allow', apiPath.methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name)).join(', '));
    return problem(response, 405, 'method_not_allowed', 'You can’t do this here.');
  }
  if (!isSameOrigin(method, named, () => environment.webOrigin)) {
    return problem(response, 403, 'cross_site', 'This request came from another site.');
  }

  const visitor = visitorIn(named);
  const before = await readSessionCookie({ get: (name) => cookieIn(request.headers.cookie, name) });
  if (hasOtherReader(named, before)) {
    return problem(response, 409, 'other_reader', 'Someone else has signed in on this browser. Nothing was changed.');
  }
  const renewed = before === null ? null : await ensureFreshSession(before, visitor);
  if (renewed?.state === 'stale') return unavailable(response);
  if (response.destroyed) return;
  // An event stream lasts as long as its token, unless the person signs out in another tab before that.
  if (before !== null && isStream(request)) endOnSignOut(response, before.sid);
  const session = renewed?.state === 'fresh' ? renewed.token : undefined;
  const headers = requestHeaders(request.headers, visitor, session);
  passThrough({
    request,
    response,
    target: { ...apiTarget(environment.apiUrl, apiPath.path, search), method, headers },
    headersOf: (answer) => {
      const own = answerHeaders(request, answer);
      return renewed?.changed ? withSession(own, renewed.token) : own;
    },
    onUnavailable: (reason) => unavailable(response, reason),
  });
}

/** The session is sealed only now, because the person may have signed out while the API was answering (WEB-11). */
async function withSession(headers: Record<string, string>, token: SessionToken): Promise<Record<string, string>> {
  const sealed = await sealSession(token);
  if (sealed !== null) headers['set-cookie'] = sessionSetCookie(sealed);
  return headers;
}

/** Ends the response when the session is signed out (WEB-11). */
function endOnSignOut(response: ServerResponse, sid: string): void {
  const end = () => response.destroy();
  response.once('close', onSignedOut(sid, end));
  if (isSignedOut(sid, Date.now())) end();
}

function splitQuery(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}

function cookieIn(header: string | undefined, name: string): { value: string } | undefined {
  const cookie = header?.split(/; ?/).findLast((pair) => pair.startsWith(`${name}=`));
  return cookie === undefined ? undefined : { value: cookie.slice(name.length + 1) };
}

function unavailable(response: ServerResponse, reason?: string): void {
  response.setHeader('retry-after', '10');
  problem(response, 503, 'unavailable', 'Our servers aren’t responding right now. Try again in a minute.', reason);
}

/** The headers are written all at once, because Node.js handles each by itself if any was set before. */
function answerHeaders(request: IncomingMessage, incoming: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = responseHeaders(incoming);
  headers['x-request-id'] ??= request.headers['x-request-id']?.toString() ?? '';
  if (serverEnvironment().https) headers['strict-transport-security'] = STRICT_TRANSPORT;
  return headers;
}

/** @param reason for the log only. */
function problem(response: ServerResponse, status: number, code: string, message: string, reason?: string): void {
  const request_id = response.req.headers['x-request-id'] ?? randomUUID();
  process.stderr.write(`${JSON.stringify({ level: 'warn', name: 'web', request_id, status, code, reason })}\n`);
  const title = STATUS_CODES[status] ?? 'Error';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail: message, message, code, request_id });
  response.writeHead(status, answerHeaders(response.req, { 'content-type': 'application/problem+json' }));
  response.end(body);
}
