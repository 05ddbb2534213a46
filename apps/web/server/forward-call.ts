import { randomUUID } from 'node:crypto';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { serverEnvironment } from '../api/server-environment.ts';
import { visitorIn } from '../api/visitor.ts';
import { ensureFreshSession } from '../session/api-auth.ts';
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

/** A connection to the API without traffic for this long is closed. The API writes to its streams every 20 seconds. */
const SILENT_MS = 300_000;
/** Connections to the API are reused. Their number is not limited, because each open event stream needs one. */
const REUSED = { keepAlive: true, timeout: SILENT_MS };
const agents = { http: new HttpAgent(REUSED), https: new HttpsAgent(REUSED) };

/** The functions that end the open event streams. */
const streams = new Set<() => void>();
let areStreamsOver = false;

/** Ends all event streams, and each that begins later, when this process ends. Browsers open them again in another process. */
export function endStreams(): void {
  areStreamsOver = true;
  for (const end of streams) end();
}

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
  const forget = before !== null && isStream(request) ? endOnSignOut(response, before.sid) : () => {};
  const call: ApiCall = { method, body: hasBody(request) ? request : null, isAbandoned: false, request: null };
  response.once('close', () => {
    forget();
    call.isAbandoned = !response.writableFinished;
    // This does nothing after the end of the answer.
    call.request?.destroy();
  });
  const session = renewed?.state === 'fresh' ? renewed.token : undefined;
  const headers: Record<string, string> = requestHeaders(request.headers, visitor, session);
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  const answer = await callApi(apiTarget(environment.apiUrl, apiPath.path, search), headers, call);
  // Nobody waits for the answer of a call that the browser cancelled, so it is no outage.
  if (call.isAbandoned) return;
  if (answer === null) return unavailable(response);
  await passBack(answer, response, renewed);
}

interface ApiCall {
  method: string;
  /** The request to read the body from; null if the call has no body. */
  body: IncomingMessage | null;
  /** True once the browser has cancelled it. */
  isAbandoned: boolean;
  /** The request to the API, which ends with its answer when it is destroyed. */
  request: ClientRequest | null;
}

/**
 * Calls the API with Node's own client, which streams in both directions and does not follow redirects.
 * @returns the answer with its unread body, or null if there is no answer.
 */
async function callApi(target: RequestOptions, headers: Record<string, string>, call: ApiCall): Promise<IncomingMessage | null> {
  const first = send(target, headers, call);
  const answer = await answerTo(first);
  // The API closes idle connections, and this call may have used one that was just being closed.
  const lost = answer === null && first.reusedSocket && call.body === null && !call.isAbandoned;
  return lost && (call.method === 'GET' || call.method === 'HEAD') ? answerTo(send(target, headers, call)) : answer;
}

function send(target: RequestOptions, headers: Record<string, string>, call: ApiCall): ClientRequest {
  const { method, body } = call;
  const secure = target.protocol === 'https:';
  const agent = secure ? agents.https : agents.http;
  const request = (secure ? httpsRequest : httpRequest)({ ...target, method, headers, agent });
  call.request = request;
  request.once('timeout', () => request.destroy());
  // The answer may come before the whole body was sent. The rest is then read and dropped, because it would block the
  // browser's next call on the connection. It is not an error if the API closes its connection after the answer.
  const forgetRest = () => {
    body?.unpipe(request);
    body?.resume();
  };
  // Otherwise Node.js, and with it the browser, would wait for the API to read the rest, which it never does.
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
  // The session is sealed only now, because the person may have signed out while the API was answering (WEB-11).
  const sealed = renewed?.changed ? await sealSession(renewed.token) : null;
  if (response.destroyed) return void answer.destroy();
  if (sealed !== null) headers['set-cookie'] = sessionSetCookie(sealed);
  response.writeHead(answer.statusCode ?? 502, headers);
  // If the answer breaks off, so does the response. If the browser leaves, the request is destroyed, and with it the answer.
  for (const side of [answer, response]) side.once('error', () => response.destroy());
  answer.pipe(response);
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

/** An event stream lasts as long as its token, unless the person signs out in another tab before that. */
function isStream({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept === 'text/event-stream';
}

/** Ends the response when the session is signed out (WEB-11). @returns a function to call once the response is closed. */
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
  const cookie = header?.split(/; ?/).findLast((pair) => pair.startsWith(`${name}=`));
  return cookie === undefined ? undefined : { value: cookie.slice(name.length + 1) };
}

function unavailable(response: ServerResponse): void {
  response.setHeader('retry-after', '10');
  problem(response, 503, 'unavailable', 'Our servers aren’t responding right now. Try again in a minute.');
}

function problem(response: ServerResponse, status: number, code: string, message: string): void {
  const request_id = response.getHeader('x-request-id') ?? randomUUID();
  process.stderr.write(`${JSON.stringify({ level: 'warn', name: 'web', request_id, status, code })}\n`);
  const title = STATUS_CODES[status] ?? 'Error';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail: message, message, code, request_id });
  response.writeHead(status, responseHeaders({ 'content-type': 'application/problem+json' }));
  response.end(body);
}
