import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isStopping } from '../process.ts';

interface Ending {
  /** How long requests that are under way may take. */
  endMs: number;
  /** Receives the number of connections that were cut off after that. */
  onCut: (connections: number) => void;
}

/**
 * Lets a server that closes end each of its connections as soon as nothing is under way on it. Node.js by itself keeps a
 * connection whose answer ends after `close` for its whole idle time, and one that never had a request as well, and it cuts off
 * answers that are written but not sent yet. Once the process is ending, each answer announces that it is the last one of
 * its connection, so that the next request goes to another process.
 * @returns a replacement for `closeIdleConnections`, which `close` calls.
 */
export function watchConnections(server: Server, { endMs, onCut }: Ending): () => void {
  /** By connection: requests that are still being read, and answers that are still being sent. */
  const underWay = new Map<Socket, Set<IncomingMessage | ServerResponse>>();
  const silent = new Set<Socket>();
  let isEnding = false;

  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => {
      silent.delete(socket);
      underWay.delete(socket);
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    silent.delete(socket);
    const parts = underWay.get(socket) ?? new Set();
    underWay.set(socket, parts);
    for (const part of [request, response]) {
      parts.add(part);
      part.once('close', () => {
        parts.delete(part);
        if (isEnding && parts.size === 0) socket.destroySoon();
      });
    }
    if (isEnding || isStopping()) makeLast(response);
  });

  return () => {
    if (isEnding) return;
    isEnding = true;
    for (const parts of underWay.values()) {
      for (const part of parts) if ('req' in part) makeLast(part);
    }
    // Requests that have arrived by now are still read and answered.
    setImmediate(() => {
      for (const [socket, parts] of underWay) if (parts.size === 0) socket.destroySoon();
    });
    const timers = [
      // A new connection is about to bring a request, or was only opened in advance, as browsers do.
      setTimeout(() => {
        for (const socket of silent) socket.destroySoon();
      }, endMs / 8),
      setTimeout(() => {
        onCut(underWay.size);
        server.closeAllConnections();
      }, endMs),
    ];
    for (const timer of timers) timer.unref();
    server.once('close', () => timers.forEach(clearTimeout));
  };
}

/**
 * Announces that no other answer follows on this connection, unless part of the request is still to come: closing a connection
 * while the client still sends would lose the answer.
 */
function makeLast(response: ServerResponse): void {
  const { req: request } = response;
  const say = () => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  if (request.complete || (encoding === undefined && Number(length ?? 0) === 0)) say();
  else request.once('end', say);
}
