import { randomUUID } from 'node:crypto';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { serverEnvironment } from '../api/server-environment.ts';
import { visitorIn } from '../api/visitor.ts';
import { freshSession } from '../session/api-auth.ts';
import type { RefreshedSession } from '../session/refresh-session.ts';
import { readSessionCookie, sealSession, sessionSetCookie } from '../session/session-cookie.ts';
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

/** Connections to the API are kept open; how many there are is up to the browsers, as each stream of events holds one. */
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
/** How long either side may stay silent. The API writes to its streams every 20 seconds. */
const SILENT_MS = 300_000;

/** How each stream of events that is open is ended. */
const streams = new Set<() => void>();
let areStreamsOver = false;

/** Ends every stream of events when this process ends, and each that would begin now: browsers open them again at another one. */
export function endStreams(): void {
  areStreamsOver = true;
  for (const end of streams) end();
}

/** Whether a request is for the JSON API. The session's own calls (`/api/auth/`) are for Next.js, as everything else. */
export function isForwarded(url: string | undefined): boolean {
  return url?.startsWith('/api/') === true && !url.startsWith('/api/auth/');
}

/**
 * Passes a browser's call on to the JSON API with the session's token, streaming both ways and keeping nothing. The browser
 * itself never holds a token. It stands before Next.js, whose own work would take most of the time of such a call.
 */
export async function forwardCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await pass(request, response);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${JSON.stringify({ level: 'error', name: 'web', code: 'PASS_ON', message })}\n`);
    response.destroy();
  }
}

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { apiUrl, webOrigin } = serverEnvironment();
  const { method = 'GET' } = request;
  const named: NamedHeaders = { get: (name) => request.headers[name]?.toString() ?? null };
  const [path = '', search = ''] = splitQuery(request.url ?? '');
  const found = findApiPath(path);
  if (found === null) return problem(response, 404, 'not_found', 'We can’t find this.');
  if (!found.methods.includes(method === 'HEAD' ? 'GET' : method)) {
    response.setHeader('allow', found.methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name)).join(', '));
    return problem(response, 405, 'method_not_allowed', 'You can’t do this here.');
  }
  if (!isSameOrigin(method, named, webOrigin)) {
    return problem(response, 403, 'cross_site', 'This request came from another site.');
  }

  const visitor = visitorIn(named);
  const before = await readSessionCookie({ get: (name) => cookieIn(request.headers.cookie, name) });
  if (hasOtherReader(named, before)) {
    return problem(response, 409, 'other_reader', 'Someone else has signed in on this browser. Nothing was changed.');
  }
  const renewed = before === null ? null : await freshSession(before, visitor);
  if (renewed?.state === 'stale') return unavailable(response);
  if (response.destroyed) return;
  const left = new AbortController();
  const forget = before !== null && isStream(request) ? endOnSignOut(response, before.sid) : () => {};
  response.once('close', () => {
    forget();
    if (!response.writableFinished) left.abort();
  });
  const session = renewed?.state === 'fresh' ? renewed.token : undefined;
  const headers: Record<string, string> = requestHeaders(request.headers, visitor, session);
  const body = hasBody(request) ? request : null;
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  const answer = await callApi(apiTarget(apiUrl, found.path, search), { method, headers, body, signal: left.signal });
  if (answer === null) return unavailable(response);
  await passBack(answer, response, renewed);
}

interface ApiCall {
  method: string;
  headers: Record<string, string>;
  /** Where the body comes from; null when there is none. */
  body: IncomingMessage | null;
  /** Ends the call, and the answer with it. */
  signal: AbortSignal;
}

/**
 * Calls the API by Node's own client, streaming both ways. Redirects are answers like others.
 * @returns its answer, whose body waits to be read; null when there is none.
 */
async function callApi(target: URL, call: ApiCall): Promise<IncomingMessage | null> {
  const first = send(target, call);
  const answer = await answerTo(first);
  // The API closes connections that were idle for long; this call may have met one on its way.
  const lost = answer === null && first.reusedSocket && call.body === null && !call.signal.aborted;
  return lost && (call.method === 'GET' || call.method === 'HEAD') ? answerTo(send(target, call)) : answer;
}

function send(target: URL, { method, headers, body, signal }: ApiCall): ClientRequest {
  const secure = target.protocol === 'https:';
  const agent = secure ? agents.https : agents.http;
  const request = (secure ? httpsRequest : httpRequest)(target, { method, headers, agent, signal, timeout: SILENT_MS });
  request.once('timeout', () => request.destroy());
  // An answer may come before the whole body has been sent; what is left of it is then read and forgotten, or it would lie
  // before the browser's next call. A connection that the API closes after its answer is no error.
  const forgetRest = () => {
    body?.unpipe(request);
    body?.resume();
  };
  // Node.js waits for the API to read the rest, which it never does. The browser would wait as well.
  request.once('response', (answer: IncomingMessage) =>
    answer.once('end', () => {
      if (!request.writableFinished) request.destroy();
    }),
  );
  request.on('error', forgetRest);
  request.on('close', forgetRest);
  if (body === null) request.end();
  else body.pipe(request);
  return request;
}

function answerTo(request: ClientRequest): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    request.once('response', resolve);
    request.once('error', () => resolve(null));
  });
}

async function passBack(answer: IncomingMessage, response: ServerResponse, renewed: RefreshedSession | null) {
  const headers: Record<string, string> = responseHeaders(answer.headers);
  // Sealed only now: the person may have signed out while the API was answering.
  const sealed = renewed?.changed ? await sealSession(renewed.token) : null;
  if (response.destroyed) return void answer.destroy();
  if (sealed !== null) headers['set-cookie'] = sessionSetCookie(sealed);
  response.writeHead(answer.statusCode ?? 502, headers);
  // Whichever side breaks off, the other one is ended too.
  pipeline(answer, response, () => {});
  if (!headers['content-type']?.startsWith('text/event-stream')) return;
  response.flushHeaders();
  const end = () => {
    answer.unpipe(response);
    response.end();
  };
  streams.add(end);
  response.once('close', () => streams.delete(end));
  if (areStreamsOver) end();
}

/** A stream of events goes on for as long as its token; the person may sign out, in another tab, before that. */
function isStream({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept === 'text/event-stream';
}

/** @returns what is to be done once it is closed. */
function endOnSignOut(response: ServerResponse, sid: string): () => void {
  const end = () => response.destroy();
  const forget = onSignedOut(sid, end);
  if (isSignedOut(sid, Date.now())) end();
  return forget;
}

function splitQuery(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function cookieIn(header: string | undefined, name: string): { value: string } | undefined {
  const found = header?.split(/; ?/).findLast((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? undefined : { value: found.slice(name.length + 1) };
}

function unavailable(response: ServerResponse): void {
  response.setHeader('retry-after', '10');
  problem(response, 503, 'unavailable', 'Case Platform isn’t responding right now. Try again in a minute.');
}

function problem(response: ServerResponse, status: number, code: string, message: string): void {
  const request_id = response.getHeader('x-request-id') ?? randomUUID();
  process.stderr.write(`${JSON.stringify({ level: 'warn', name: 'web', request_id, status, code })}\n`);
  const title = STATUS_CODES[status] ?? 'Error';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail: message, message, code, request_id });
  response.writeHead(status, responseHeaders({ 'content-type': 'application/problem+json' }));
  response.end(body);
}
