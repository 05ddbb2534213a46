import type { FastifyReply } from 'fastify';

/** One event of a stream (HTML, 9.2 'Server-sent events'). */
interface StreamedEvent {
  event: string;
  /** Browsers send it as `Last-Event-ID` when they reconnect. */
  id?: string;
  data: unknown;
}

export interface EventStream {
  send(event: StreamedEvent): void;
  close(): void;
  /** Settles when either side has ended the stream. */
  closed: Promise<void>;
}

/** Sent during silence, so that proxies keep the connection and either side notices that the other has vanished. */
const HEARTBEAT_MS = 20_000;
/** Each stream gets another wait in this range, so that the readers of a process that ends do not come back at once (LIVE-9). */
const RECONNECT_MS = { from: 1000, to: 4000 };
/** A reader with this many bytes waiting is cut off, and catches up when they come back. */
const WAITING_MAX_BYTES = 512 * 1024;

/**
 * Follows every event. A proxy that gathers an answer passes on full buffers only (nginx: 4 or 8 KiB), and the header of the
 * answer with the first of them. `X-Accel-Buffering` tells nginx not to, but a second nginx behind the first never sees it.
 */
const PADDING = `:${' '.repeat(8 * 1024)}\n\n`;

/** The JSON of objects that were sent, because many streams send the same message. */
const texts = new WeakMap<object, string>();

function toJson(data: unknown): string {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const text = texts.get(data) ?? JSON.stringify(data);
  texts.set(data, text);
  return text;
}

/** Answers a request with server-sent events. Fastify no longer controls the reply; headers set before are sent. */
export function openEventStream(reply: FastifyReply): EventStream {
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  reply.header('cache-control', 'no-store, no-transform');
  reply.header('x-accel-buffering', 'no');
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  raw.on('error', () => raw.destroy());
  let isPaddingDue = false;
  const write = (text: string) => {
    if (raw.destroyed || raw.writableEnded) return;
    raw.write(text);
    if (raw.writableLength > WAITING_MAX_BYTES) return void raw.destroy();
    // Once for everything that is sent together.
    if (isPaddingDue) return;
    isPaddingDue = true;
    setImmediate(() => {
      isPaddingDue = false;
      if (!raw.destroyed && !raw.writableEnded) raw.write(PADDING);
    });
  };
  const { from, to } = RECONNECT_MS;
  write(`retry: ${Math.round(from + Math.random() * (to - from))}\n\n`);
  const closed = new Promise<void>((resolve) => {
    // A client who left during authentication has closed it already, so no event would follow.
    if (raw.destroyed) return resolve();
    const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS);
    raw.once('close', () => {
      clearInterval(heartbeat);
      resolve();
    });
  });
  return {
    closed,
    send({ event, id, data }) {
      const lines = id === undefined ? [] : [`id: ${id}`];
      write([...lines, `event: ${event}`, `data: ${toJson(data)}`, '', ''].join('\n'));
    },
    close() {
      if (!raw.writableEnded) raw.end();
    },
  };
}
