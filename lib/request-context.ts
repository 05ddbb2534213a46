import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What led to what is being done: it goes from the web frontend to the API, with a job into the queue, and to its deliveries. */
export interface RequestContext {
  request_id: string;
  /** The place in a trace (W3C Trace Context), where somebody traces. */
  traceparent?: string | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** An id that somebody else has given: what fits a log line and the audit log. */
const REQUEST_ID = /^[\w.-]{8,64}$/;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Does the work as part of a request: also what it leaves to later knows of it. */
export function inRequest<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return context === undefined ? work() : contexts.run(context, work);
}

/** The request that is being worked on, if any. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** The id of a request: the one that its sender names, where that can be one, else a new one. */
export function requestIdIn({ 'x-request-id': named }: IncomingHttpHeaders): string {
  return typeof named === 'string' && REQUEST_ID.test(named) ? named : randomUUID();
}

/** The sender's place in a trace, if it names one. */
export function traceparentIn({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}
