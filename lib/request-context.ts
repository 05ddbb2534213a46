import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The request that caused the current work. It travels from the web frontend to the API, into the queue with a job, and to
 * deliveries (METRIC-4).
 */
export interface RequestContext {
  request_id: string;
  /** The position in a trace (W3C Trace Context), if there is tracing. */
  traceparent?: string | undefined;
  /** The provider templates that the staff page of the request names for its mails, by event (EMAIL-16). */
  mail_templates?: Readonly<Record<string, string>> | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** An id from another system is accepted if it fits a log line and the audit log. */
const REQUEST_ID = /^[\w.-]{8,64}$/;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Runs the work as part of a request, including what it starts asynchronously. */
export function runInRequest<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return context === undefined ? work() : contexts.run(context, work);
}

export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** The request id that the sender names, if it is valid, otherwise a new one. */
export function requestIdIn({ 'x-request-id': header }: IncomingHttpHeaders): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** The sender's position in a trace, if it names one. */
export function traceparentIn({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}
