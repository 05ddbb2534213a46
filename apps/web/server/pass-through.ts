import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  /** The call to the API without its body. */
  target: Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method' | 'headers'>;
  /** Returns the headers of the answer to the browser. */
  headersOf: (answer: IncomingHttpHeaders) => Record<string, string> | Promise<Record<string, string>>;
  /** Called if there is no answer, unless the browser has left. The reason is for the log. */
  onUnavailable: (reason: string) => void;
}

/** A connection to the API without traffic for this long is closed. The API writes to its streams every 20 seconds. */
const SILENT_MS = 300_000;
const SILENT = { headersTimeout: SILENT_MS, bodyTimeout: SILENT_MS };
/**
 * The number of connections is not limited. Event streams have an agent of their own, because a call looks for a free connection
 * among all connections of its agent.
 */
const agents = { calls: new Agent(SILENT), streams: new Agent(SILENT) };
/** Errors of a connection that the API has closed. */
const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** The functions that end the open event streams. */
const streams = new Set<() => void>();
let areStreamsOver = false;

/** Ends all event streams, and each that begins later, when this process ends. Browsers open them again in another process. */
export function endStreams(): void {
  areStreamsOver = true;
  for (const end of streams) end();
}

/** True for a request that asks for an event stream. */
export function isStream({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept === 'text/event-stream';
}

/**
 * Calls the API and passes its answer back piece by piece. undici does not follow redirects, and takes half the time of Node's
 * own client.
 */
export function passThrough(call: Call): void {
  new PassedCall(call).send();
}

class PassedCall implements Dispatcher.DispatchHandler {
  readonly #call: Call;
  readonly #response: ServerResponse;
  readonly #body: PassThrough | null;
  #controller: Controller | null = null;
  #isRepeated = false;
  #isOver = false;

  constructor(call: Call) {
    const { request, response } = call;
    this.#call = call;
    this.#response = response;
    this.#body = hasBody(request) ? copyOf(request) : null;
    response.on('drain', () => this.#controller?.resume());
    response.once('close', () => {
      if (!this.#isOver) this.#controller?.abort(new Error('The browser has left.'));
    });
  }

  send(): void {
    const { request, target } = this.#call;
    const agent = isStream(request) ? agents.streams : agents.calls;
    agent.dispatch({ ...target, body: this.#body }, this);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#response.destroyed) controller.abort(new Error('The browser has left.'));
  }

  onResponseStart(controller: Controller, status: number, answer: IncomingHttpHeaders): void {
    if (status < 200) return;
    const headers = this.#call.headersOf(answer);
    if (headers instanceof Promise) void this.#writeLateHead(controller, status, headers);
    else this.#writeHead(status, headers);
  }

  async #writeLateHead(controller: Controller, status: number, headers: Promise<Record<string, string>>): Promise<void> {
    controller.pause();
    try {
      this.#writeHead(status, await headers);
      controller.resume();
    } catch (error) {
      controller.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #writeHead(status: number, headers: Record<string, string>): void {
    const response = this.#response;
    if (response.destroyed) return;
    response.writeHead(status, headers);
    if (!headers['content-type']?.startsWith('text/event-stream')) return;
    response.flushHeaders();
    const end = () => void response.end();
    streams.add(end);
    response.once('close', () => streams.delete(end));
    if (areStreamsOver) end();
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    // A stream that this process has ended may still receive events.
    if (!this.#response.writableEnded && !this.#response.write(piece)) controller.pause();
  }

  onResponseEnd(): void {
    this.#isOver = true;
    this.#response.end();
  }

  onResponseError(_controller: Controller, error: Error & { code?: string }): void {
    // Nobody waits for the answer of a call that the browser canceled, so it is no outage.
    if (this.#response.destroyed) return;
    if (this.#response.headersSent) return void this.#response.destroy();
    // The API closes idle connections, and this call may have used one that was just being closed.
    const mayRepeat = !this.#isRepeated && this.#body === null && ['GET', 'HEAD'].includes(this.#call.target.method);
    this.#isRepeated = true;
    if (mayRepeat && CLOSED.includes(error.code ?? '')) this.send();
    else this.#giveUp(error.code ?? error.message);
  }

  #giveUp(reason: string): void {
    this.#isOver = true;
    this.#body?.destroy();
    this.#call.onUnavailable(reason);
  }
}

/**
 * undici destroys a body when the answer comes before it was sent. This one is not the browser's, whose rest is then read and
 * dropped, because it would block the browser's next call on the connection.
 */
function copyOf(request: IncomingMessage): PassThrough {
  const body = request.pipe(new PassThrough());
  body.on('error', () => {});
  body.once('close', () => {
    request.unpipe(body);
    request.resume();
  });
  return body;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
