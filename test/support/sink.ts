import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';

interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Sink {
  origin: string;
  received: Received[];
  /** The answer for each path. `hang` keeps the caller waiting, and `drop` ends the connection without an answer. */
  answers: Map<string, Answer>;
  /** Resolves once `count` requests have arrived. */
  arrived(count: number): Promise<void>;
  /** Answers all hanging requests. */
  release(): void;
}

type FixedAnswer = 'hang' | 'drop' | number | { status: number; body?: object | Body; headers?: Record<string, string> };
/**
 * Text that need not be JSON, or a body without an end, which arrives as fast as it is read (`endless`) or a byte at a time
 * (`dripping`).
 */
type Body = string | 'endless' | 'dripping';
/** An answer for all requests, or a function that answers each. */
type Answer = FixedAnswer | ((request: Received) => FixedAnswer);

/** Statuses with a special meaning for at least one client, and one or two others of each hundred. */
export const EVERY_STATUS = [
  200, 201, 202, 204, 301, 302, 307, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 429, 500, 501, 502, 503,
  504, 507,
];

function sendWithoutEnd(pace: 'endless' | 'dripping', response: ServerResponse): void {
  async function* pieces() {
    for (;;) {
      if (pace === 'dripping') await sleep(5);
      yield 'x'.repeat(pace === 'dripping' ? 1 : 65_536);
    }
  }
  const body = Readable.from(pieces());
  response.on('close', () => body.destroy());
  body.pipe(response);
}

/** Starts a server of someone else, which records what it receives and answers as configured. */
export async function startSink(usual: Answer = 201): Promise<Sink> {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const hanging: ServerResponse[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return; // The caller disconnected before the end of its request.
    }
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(chunks) };
    received.push(request);
    const configured = answers.get(path.split('?')[0] ?? '') ?? usual;
    const answer = typeof configured === 'function' ? configured(request) : configured;
    if (answer === 'hang') return void hanging.push(response);
    if (answer === 'drop') return void response.destroy();
    const { status, body = {}, headers: more = {} } = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    if (body === 'endless' || body === 'dripping') return sendWithoutEnd(body, response);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const release = () => {
    for (const response of hanging.splice(0)) response.writeHead(503).end();
  };
  after(() => {
    release();
    server.close();
    server.closeAllConnections();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    release,
    arrived: async (count) => void (await eventually(`${count} requests at the sink`, () => received.length >= count)),
  };
}
