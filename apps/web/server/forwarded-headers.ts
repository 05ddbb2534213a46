import type { IncomingHttpHeaders } from 'node:http';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import type { SessionToken } from '../session/session-shapes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Request headers that reach the API as they came. All others stay here: cookies, credentials, hop-by-hop headers. */
const REQUEST_HEADERS = [
  'accept',
  'accept-language',
  'content-type',
  'content-length',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'x-rendered',
];

/** Response headers that reach the browser. Above all no Set-Cookie of the API. */
const RESPONSE_HEADERS = [
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-length',
  'content-type',
  'etag',
  'retry-after',
  'x-accel-buffering',
  'x-request-id',
];

/** The address at the API for a path that was found in the list, with its query. */
export function apiTarget(apiUrl: string, path: string, search: string): URL {
  const target = new URL(apiUrl);
  target.pathname = target.pathname.replace(/\/$/, '') + path;
  target.search = search;
  return target;
}

/** The headers of the passed-on request: who is behind it, and the session's token and name as the only credentials. */
export function requestHeaders(incoming: IncomingHttpHeaders, visitor: Visitor, session: SessionToken | undefined) {
  const headers: Record<string, string> = { ...pick(incoming, REQUEST_HEADERS), ...visitor };
  // The answer is streamed on as it is; a compressed one would have to be unpacked here first.
  headers['accept-encoding'] = 'identity';
  return session === undefined ? headers : { ...headers, ...sessionHeaders(session) };
}

/** The headers of the answer to the browser. */
export function responseHeaders(incoming: IncomingHttpHeaders) {
  return { 'cache-control': 'private, no-store', ...pick(incoming, RESPONSE_HEADERS), ...SECURITY_HEADERS };
}

/**
 * Whether a request may change something. The cookie alone authenticates, so a page of another site must not be able to
 * send it. Clients that are no browser send neither header, and no other site can make them send the cookie.
 */
export function isSameOrigin(method: string, headers: NamedHeaders, ownOrigin: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = headers.get('origin');
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === ownOrigin || new URL(origin).host === headers.get('host');
}

/**
 * Whether the page that calls was made for somebody else than the session's person, and is still open from before that one signed
 * in. Clients that are no page of ours name nobody.
 */
export function hasOtherReader(headers: NamedHeaders, session: Pick<SessionToken, 'sub'> | null): boolean {
  const reader = headers.get('x-reader');
  return reader !== null && session !== null && reader !== session.sub;
}

/** Headers by name, as `Headers` and Node's own have them. */
export type NamedHeaders = { get(name: string): string | null };

function pick(from: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}
