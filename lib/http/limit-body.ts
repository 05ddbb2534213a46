import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** For a path that is open to everyone, and for a body that nothing reads, such as that of a GET. */
export const OPEN_BODY_MAX_BYTES = 16 * 1024;

/**
 * How much of a rejected body is still read and dropped. Closing a connection while its client is sending would lose the answer,
 * so a body that is only a little too long is read to its end (EDGE-2).
 */
const DROPPED_MAX_BYTES = 1024 * 1024;
/** How long a client that goes on sending has to read the answer. */
const CLOSE_AFTER_MS = 3000;

interface Limited {
  maxBytes: number;
  /** Called once, when a body of unknown length turns out to be too long. */
  onExceeded: () => void;
}

const limited = new WeakMap<IncomingMessage, Limited>();

/**
 * Limits the body of a request before anything has read it. A length that the request announces is compared at once. A body in
 * chunks is counted as its pieces arrive: nothing beyond the limit reaches a reader, and a reader never sees an end of the body.
 * A second call for the same request replaces the limit and keeps `onExceeded`.
 * @param onExceeded answers the request, whose reader waits in vain; called at most once.
 * @returns false when the request announces a longer body. The caller answers it; its body is dropped.
 */
export function limitBody(request: IncomingMessage, maxBytes: number, onExceeded: () => void = () => {}): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined) {
    if (Number(length ?? 0) <= maxBytes) return true;
    dropBody(request);
    return false;
  }
  const limit = limited.get(request);
  if (limit !== undefined) limit.maxBytes = maxBytes;
  else countBody(request, { maxBytes, onExceeded });
  return true;
}

function countBody(request: IncomingMessage, limit: Limited): void {
  limited.set(request, limit);
  let isExceeded = false;
  watchPieces(request, ({ piece, bytes, bytesDropped, push }) => {
    if (bytesDropped > 0) return dropPiece(request, bytesDropped);
    if (!isExceeded && bytes <= limit.maxBytes) return push();
    if (!isExceeded) limit.onExceeded();
    isExceeded = true;
    if (piece === null) request.socket.destroySoon();
    return bytes <= limit.maxBytes + DROPPED_MAX_BYTES || stopReading(request);
  });
}

function dropBody(request: IncomingMessage): void {
  closeSlowly(request);
  watchPieces(request, ({ piece, bytes, push }) => (piece === null ? push() : dropPiece(request, bytes)));
}

/** The connection is not read until the answer has been sent. */
function dropPiece(request: IncomingMessage, bytes: number): boolean {
  return bytes > DROPPED_MAX_BYTES ? stopReading(request) : request.readableFlowing === true;
}

/**
 * Lets a client that is still sending read an answer with `Connection: close`. Node.js closes both directions after such an
 * answer, and the system then resets the connection. Here, only our direction is closed at first.
 */
export function closeSlowly(request: IncomingMessage): void {
  const { socket } = request;
  let isClosing = false;
  socket.destroySoon = () => {
    if (request.complete) return Socket.prototype.destroySoon.call(socket);
    if (isClosing) return;
    isClosing = true;
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
  };
}

/** Leaves what still arrives in the buffers of the connection, and closes it after the client had time to read the answer. */
function stopReading({ socket }: IncomingMessage): false {
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
  return false;
}

interface Arrived {
  /** Null at the end of the body. */
  piece: Buffer | null;
  /** All bytes of the body so far. */
  bytes: number;
  /** Bytes that came after an answer, when nothing had read the body. */
  bytesDropped: number;
  /** Passes the piece on to the reader. */
  push: () => boolean;
}

/**
 * Calls `take` with each piece of a body. Node.js passes every piece to `push`, whatever reads it afterwards, except when it
 * drops the rest of a body after an answer (`_dump`). This makes that a reader like any other.
 */
function watchPieces(request: IncomingMessage, onPiece: (arrived: Arrived) => boolean): void {
  const push = request.push.bind(request);
  let bytes = 0;
  let bytesDropped = 0;
  let isDumped = false;
  const watched: Pick<IncomingMessage, 'push'> & { _dump: () => void } = {
    push: (piece: Buffer | null, ...rest) => {
      bytes += piece?.length ?? 0;
      if (isDumped && piece !== null) bytesDropped += piece.length;
      return onPiece({ piece, bytes, bytesDropped: piece === null ? 0 : bytesDropped, push: () => push(piece, ...rest) });
    },
    _dump: () => {
      isDumped = true;
      request.removeAllListeners('data').resume();
    },
  };
  Object.assign(request, watched);
}
