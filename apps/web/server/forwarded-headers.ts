import type { IncomingHttpHeaders } from 'node:http';
import { sessionHeaders, type Visitor } from '../api/visitor.ts';
import type { SessionToken } from '../session/session-shapes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** The only request headers that are forwarded. Cookies, credentials, and hop-by-hop headers are not among them. */
const REQUEST_HEADERS = [
  'accept',
  'accept-language',
  'content-type',
  'content-length',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
];

/** The only response headers that reach the browser. Set-Cookie of the API is not among them (WEB-4). */
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

/** The addresses of the API in parts. Parsing one takes as long as reading a session. */
const parsed = new Map<string, URL>();
/** Characters that a query may contain as they are. */
const PLAIN_QUERY = /^[\w\-.~!$&()*+,;=:@/?%]*$/;

/** Returns the address of a call to the API for a path from `findApiPath` and a query. */
export function apiTarget(apiUrl: string, path: string, search: string): { origin: string; path: string } {
  const api = parsed.get(apiUrl) ?? new URL(apiUrl);
  parsed.set(apiUrl, api);
  const before = api.pathname.replace(/\/$/, '');
  return { origin: api.origin, path: before + path + (PLAIN_QUERY.test(search) ? search : escaped(search)) };
}

function escaped(search: string): string {
  const url = new URL('http://localhost');
  url.search = search;
  return url.search;
}

/** Returns the headers of the forwarded request, with the visitor's address and the session's credentials (WEB-3). */
export function requestHeaders(incoming: IncomingHttpHeaders, visitor: Visitor, session: SessionToken | undefined) {
  const headers: Record<string, string> = { ...pick(incoming, REQUEST_HEADERS), ...visitor };
  // The answer is streamed to the browser unchanged, so it must not be compressed.
  headers['accept-encoding'] = 'identity';
  return session === undefined ? headers : { ...headers, ...sessionHeaders(session) };
}

export function responseHeaders(incoming: IncomingHttpHeaders) {
  return { 'cache-control': 'private, no-store', ...pick(incoming, RESPONSE_HEADERS), ...SECURITY_HEADERS };
}

/**
 * True if a request may change something. The cookie is the only credential, so requests from other sites are rejected
 * (TOKEN-8). Clients other than browsers send neither header, and no site can make them send the cookie.
 */
export function isSameOrigin(method: string, headers: NamedHeaders, ownOrigin: () => string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = headers.get('origin');
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === ownOrigin() || new URL(origin).host === headers.get('host');
}

/**
 * True if the calling page was rendered for another person than the session's, because it was open before that person signed in
 * (WEB-12). Other clients do not send the header.
 */
export function hasOtherReader(headers: NamedHeaders, session: Pick<SessionToken, 'sub'> | null): boolean {
  const reader = headers.get('x-reader');
  return reader !== null && session !== null && reader !== session.sub;
}

/** Headers by name, as in `Headers`. */
export type NamedHeaders = { get(name: string): string | null };

function pick(from: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}
