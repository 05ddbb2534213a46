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
import { limitBody } from './limit-body.ts';

/** How long a client may keep a server waiting (EDGE-1). Tests use shorter times. */
export interface ConnectionLimits {
  /** For the whole header of a request, from the connection or its first byte on. */
  headerMs: number;
  /** For a body that brings next to nothing. One that moves may take its time. */
  bodySilentMs: number;
  /** For what is under way when the server closes; its process has a second more (lib/process.ts). */
  endMs: number;
}

export const CONNECTION_LIMITS: Readonly<ConnectionLimits> = { headerMs: 15_000, bodySilentMs: 30_000, endMs: 8000 };

/** What any server of ours is asked by. Frameworks fail at others: Next.js cannot even make a request of a TRACE. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Less than this in `bodySilentMs` is no progress: a byte now and then would hold a connection for as long as one likes. */
const PROGRESS_BYTES = 1024;
/** A body is looked at so often in `bodySilentMs`. Looks are counted, not seconds: a server that was busy blames nobody. */
const LOOKS = 6;
/** However fast it moves, a request is over after an hour. */
const REQUEST_WITHIN_MS = 3_600_000;
/** For a connection on which nothing moves in either direction, for example to somebody who does not read the answer. */
const SILENT_MS = 300_000;
/** A connection is kept for longer than load balancers keep theirs (a minute), and than the pauses of somebody who reads. */
const KEPT_OPEN_MS = 72_000;
/** When the system begins to ask a silent peer whether it is still there. */
const ASK_PEER_AFTER_MS = 30_000;

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
 * The HTTP server under every listener of ours: no client can hold a connection without using it. A header takes at most
 * 15 seconds, a body that does not move ends after 30, a body that is too long is refused, nothing is upgraded and nothing
 * tunnelled, and no method but ours reaches an application. What is under way when it closes may end, within eight seconds.
 */
export function createLimitedServer(
  listener: RequestListener,
  { bodyMaxBytes, limits = CONNECTION_LIMITS, onCut = () => {} }: LimitedServerOptions,
): Server {
  const server = createServer({
    headersTimeout: limits.headerMs,
    connectionsCheckingInterval: Math.ceil(limits.headerMs / 3),
    requestTimeout: Math.max(REQUEST_WITHIN_MS, limits.headerMs),
    keepAliveTimeout: KEPT_OPEN_MS,
    keepAlive: true,
    keepAliveInitialDelay: ASK_PEER_AFTER_MS,
    // Whoever asks for another protocol is answered in this one (RFC 9110, 7.8), whatever listeners a framework adds.
    shouldUpgradeCallback: () => false,
  });
  server.setTimeout(SILENT_MS);
  server.closeIdleConnections = watchConnections(server, { endMs: limits.endMs, onCut });
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => answers.set(request.socket, response));
  watchBodies(server, limits.bodySilentMs, (socket) => refuse(socket, 408, answers.get(socket)));
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    refuse(socket, 405, undefined);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket, statusOf(error), answers.get(socket)),
  );
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const target = originForm(request.url ?? '');
    if (target === null) return refuse(request.socket, 400, undefined);
    if (!METHODS.includes(request.method ?? '')) return refuse(request.socket, 405, undefined);
    request.url = target;
    const refuseBody = () => refuseTooLarge(request, response);
    if (!limitBody(request, bodyMaxBytes(request), refuseBody)) return refuseBody();
    // A reader that gave up half-way has left the body paused, and the client would wait until it is cut off.
    response.once('finish', () => {
      if (!request.complete) request.unpipe().resume();
    });
    listener(request, response);
  });
  return server;
}

/** The path and query that are asked for; null where a request is for no resource of ours, as `*` is (RFC 9112, 3.2). */
function originForm(target: string): string | null {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/?#]*(\/.*)$/i.exec(target)?.[1] ?? null;
}

/** Ends requests whose body has stopped moving. What waits for us to read it is not the client's fault. */
function watchBodies(server: Server, silentMs: number, end: (socket: Socket) => void): void {
  const watched = new Map<IncomingMessage, { bytesRead: number; looks: number }>();
  server.on('request', (request: IncomingMessage) => {
    const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
    if (encoding === undefined && Number(length ?? 0) === 0) return;
    watched.set(request, { bytesRead: request.socket.bytesRead, looks: 0 });
    request.once('close', () => watched.delete(request));
  });
  const look = () => {
    for (const [request, seen] of watched) {
      const { socket } = request;
      if (request.complete || socket.destroyed) watched.delete(request);
      else if (hasMoved(request, seen.bytesRead)) watched.set(request, { bytesRead: socket.bytesRead, looks: 0 });
      else if (++seen.looks >= LOOKS) end(socket);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    timer = setInterval(look, silentMs / LOOKS).unref();
  });
  server.on('close', () => clearInterval(timer));
}

function hasMoved({ socket, readableLength, readableHighWaterMark }: IncomingMessage, before: number): boolean {
  return socket.bytesRead - before >= PROGRESS_BYTES || readableLength >= readableHighWaterMark;
}

/** Answers once, if nothing else has been answered, and closes the connection: a peer that stays open keeps nothing. */
function refuse(socket: Duplex, status: number, answer: ServerResponse | undefined): void {
  if (writeRefusal(socket, status, answer)) (socket as Socket).destroySoon();
}

/**
 * The rest of the body is still on its way. It is read and dropped, since closing now would lose the answer: this one, or another one
 * that the request had before its body was too long.
 */
function refuseTooLarge(request: IncomingMessage, answer: ServerResponse): void {
  if (answer.headersSent || !writeRefusal(request.socket, 413, answer)) return;
  request.socket.end();
  request.once('end', () => request.socket.destroySoon()).resume();
}

/** @returns false when the connection was closed, because it takes no answer or has one already. */
function writeRefusal(socket: Duplex, status: number, answer: ServerResponse | undefined): boolean {
  // A request has one answer: a second one would be read as that of whatever is asked next on this connection.
  const begun = answer?.headersSent === true && !(answer.writableFinished && answer.req.complete);
  if (!(socket instanceof Socket) || !socket.writable || begun) {
    socket.destroy();
    return false;
  }
  const title = STATUS_CODES[status] ?? 'Error';
  const [message, code] = REFUSALS[status] ?? UNREADABLE;
  const problem = { type: 'about:blank', title, status, detail: message, message, code };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // RFC 9110, 15.5.6.
    ...(status === 405 ? [`Allow: ${METHODS.join(', ')}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return true;
}

const UNREADABLE = ['We couldn’t read this request.', 'unreadable_request'] as const;
const REFUSALS: Readonly<Record<number, readonly [message: string, code: string]>> = {
  405: ['This method is not known here.', 'method_not_allowed'],
  413: ['This is too large.', 'too_large'],
};

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
