import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { watchConnections } from './end-connections.ts';
import { freeBodies } from './free-bodies.ts';
import { closeSlowly, limitBody } from './limit-body.ts';

/** How long a client may keep a server waiting (EDGE-1). Tests use shorter times. */
export interface ConnectionLimits {
  /** For the whole header of a request, from the connection or the first byte of the header. */
  headerMs: number;
  /** For a body that hardly moves. One that moves may take its time. */
  bodySilentMs: number;
  /** For requests that are under way when the server closes; its process has one more second (lib/process.ts). */
  endMs: number;
}

export const CONNECTION_LIMITS: Readonly<ConnectionLimits> = { headerMs: 15_000, bodySilentMs: 30_000, endMs: 8000 };

/** The methods of our servers. Frameworks fail at others: Next.js cannot even represent a TRACE. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Less than this in `bodySilentMs` is not progress. Otherwise, a byte now and then would keep a connection open forever. */
const PROGRESS_BYTES = 1024;
/**
 * How often a body is checked within `bodySilentMs`. A body has stalled after this many checks without progress. Checks are
 * counted rather than seconds, so that a client does not lose its connection because the server is busy.
 */
const CHECKS = 6;
/** A request ends after an hour, however fast it moves. */
const REQUEST_WITHIN_MS = 3_600_000;
/** For a connection on which nothing moves in either direction, for example if the client does not read the answer. */
const SILENT_MS = 300_000;
/** Longer than load balancers keep their connections (a minute), and than the pauses of someone who is reading. */
const KEEP_ALIVE_MS = 72_000;
/** After this long, the system begins to check whether a silent peer still exists. */
const PROBE_PEER_AFTER_MS = 30_000;

interface LimitedServerOptions {
  /**
   * The largest body of a request in bytes. A longer one is answered with 413 before the listener or anything else has read it.
   * `Infinity` leaves it to the listener, which then calls `limitBody` itself.
   */
  bodyMaxBytes: (request: IncomingMessage) => number;
  limits?: ConnectionLimits | undefined;
  /** Receives the number of connections that had to be cut off when the server closed. */
  onCut?: (connections: number) => void;
}

/**
 * The HTTP server under all our listeners: no client can keep a connection open without using it (EDGE-1, EDGE-2). A header
 * takes at most 15 seconds, a stalled body ends after 30, a body that is too long is rejected, nothing is upgraded or tunneled,
 * and only our methods reach an application. Requests that are under way when it closes have eight seconds.
 */
export function createLimitedServer(
  listener: RequestListener,
  { bodyMaxBytes, limits = CONNECTION_LIMITS, onCut = () => {} }: LimitedServerOptions,
): Server {
  const server = createServer({
    headersTimeout: limits.headerMs,
    connectionsCheckingInterval: Math.ceil(limits.headerMs / 3),
    requestTimeout: Math.max(REQUEST_WITHIN_MS, limits.headerMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_PEER_AFTER_MS,
    // A request for another protocol is answered in this one (RFC 9110, 7.8), even if a framework listens for upgrades.
    shouldUpgradeCallback: () => false,
  });
  server.setTimeout(SILENT_MS);
  server.closeIdleConnections = watchConnections(server, { endMs: limits.endMs, onCut });
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => answers.set(request.socket, response));
  watchBodies(server, limits.bodySilentMs, (socket) => answerAndClose(socket, 408, answers.get(socket)));
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    answerAndClose(socket, 405, undefined);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerAndClose(socket, statusOf(error), answers.get(socket)),
  );
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const target = originForm(request.url ?? '');
    if (target === null) return answerAndClose(request.socket, 400, undefined);
    if (!METHODS.includes(request.method ?? '')) return answerAndClose(request.socket, 405, undefined);
    request.url = target;
    const answerLongBody = () => answerTooLarge(request, response);
    if (!limitBody(request, bodyMaxBytes(request), answerLongBody)) return answerLongBody();
    // A reader that gave up halfway leaves the body paused, and the client would wait until it is cut off.
    if (hasBody(request)) {
      freeBodies(request);
      closeSlowly(request);
      response.once('finish', () => {
        if (!request.complete) request.unpipe().resume();
      });
    }
    listener(request, response);
  });
  return server;
}

/** The path and query of a request; null for a target that is not one of our resources, such as `*` (RFC 9112, 3.2). */
function originForm(target: string): string | null {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/?#]*(\/.*)$/i.exec(target)?.[1] ?? null;
}

/** True if the headers announce a body (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Ends requests whose body has stalled. A body that waits for us to read it is not the client's fault. */
function watchBodies(server: Server, silentMs: number, end: (socket: Socket) => void): void {
  const watched = new Map<IncomingMessage, { bytesRead: number; idleChecks: number }>();
  server.on('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    watched.set(request, { bytesRead: request.socket.bytesRead, idleChecks: 0 });
    request.once('close', () => watched.delete(request));
  });
  const checkBodies = () => {
    for (const [request, progress] of watched) {
      const { socket } = request;
      if (request.complete || socket.destroyed) watched.delete(request);
      else if (hasMoved(request, progress.bytesRead)) watched.set(request, { bytesRead: socket.bytesRead, idleChecks: 0 });
      else if (++progress.idleChecks >= CHECKS) end(socket);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    timer = setInterval(checkBodies, silentMs / CHECKS).unref();
  });
  server.on('close', () => clearInterval(timer));
}

function hasMoved({ socket, readableLength, readableHighWaterMark }: IncomingMessage, before: number): boolean {
  return socket.bytesRead - before >= PROGRESS_BYTES || readableLength >= readableHighWaterMark;
}

/** Answers once, unless there was another answer, and closes the connection even if the peer keeps its side open. */
function answerAndClose(socket: Duplex, status: number, answer: ServerResponse | undefined): void {
  if (writeAnswer(socket, status, answer)) (socket as Socket).destroySoon();
}

/**
 * The rest of the body is still on its way. It is read and dropped, because closing now would lose the answer: this one, or
 * another one that the request got before its body was too long.
 */
function answerTooLarge(request: IncomingMessage, answer: ServerResponse): void {
  if (answer.headersSent || !writeAnswer(request.socket, 413, answer)) return;
  request.socket.end();
  request.once('end', () => request.socket.destroySoon()).resume();
}

/** @returns false if the connection was closed, because it takes no answer or already has one. */
function writeAnswer(socket: Duplex, status: number, answer: ServerResponse | undefined): boolean {
  // A request has one answer: a second one would be read as the answer to the next request of this connection.
  const hasAnswer = answer?.headersSent === true && !(answer.writableFinished && answer.req.complete);
  if (!(socket instanceof Socket) || !socket.writable || hasAnswer) {
    socket.destroy();
    return false;
  }
  const title = STATUS_CODES[status] ?? 'Error';
  const [message, code] = MESSAGES[status] ?? UNREADABLE;
  const problem = { type: 'about:blank', title, status, detail: message, message, code };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // A 405 lists the allowed methods (RFC 9110, 15.5.6).
    ...(status === 405 ? [`Allow: ${METHODS.join(', ')}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return true;
}

const UNREADABLE = ['We couldn’t read this request.', 'unreadable_request'] as const;
const MESSAGES: Readonly<Record<number, readonly [message: string, code: string]>> = {
  405: ['This method is not known here.', 'method_not_allowed'],
  413: ['This is too large.', 'too_large'],
};

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
