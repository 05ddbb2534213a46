import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { ObserveRequest } from '../metrics/metrics.ts';
import { parseLocale, type Reader, runForReader } from '../reader-locale.ts';
import { type RequestContext, runInRequest, traceparentIn } from '../request-context.ts';
import type { OpenSpan, Tracing } from '../tracing/tracing.ts';
import { noteOfRequest } from './note-of-request.ts';

/** Receives every request for metrics and traces (METRIC-1, METRIC-4). */
export interface RequestFollowers {
  log: Log;
  /** True to log every answer, and not only those that report an internal error. */
  logsEachRequest?: boolean | undefined;
  observeRequest?: ObserveRequest | undefined;
  tracing?: Tracing | undefined;
}

interface Followed {
  context: RequestContext;
  reader: Reader;
  span: OpenSpan | undefined;
}

const followed = noteOfRequest<Followed>('what it is part of');

/**
 * Makes the request's id known to everything that it causes, and reports its answer. Streams are never answered in this sense.
 */
export function followRequests(
  app: Pick<FastifyInstance, 'addHook'>,
  { log, logsEachRequest = false, observeRequest, tracing }: RequestFollowers,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = traceparentIn(request.headers);
    const span = isProbe(request) ? undefined : tracing?.begin('server', parent);
    const { mails: mail_templates } = request.routeOptions.config;
    const context = { request_id: request.id, traceparent: span?.traceparent ?? parent, mail_templates };
    const reader = readerOf(request);
    followed.write(request, { context, reader, span });
    runInRequest(context, () => runForReader(reader, done));
  });
  // The connection calls the reader of a body outside the request's context, so the context is entered again afterwards.
  app.addHook('preValidation', (request, _reply, done) => {
    const { context, reader } = followed.of(request) ?? {};
    if (reader === undefined || hasNoBody(request)) done();
    else runInRequest(context, () => runForReader(reader, done));
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, route, status, ms } = answered(request, reply);
    observeRequest?.({ method, route, status, ms });
    followed.of(request)?.span?.end({
      name: `${method} ${route ?? 'none'}`,
      failed: status >= 500,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        request_id: request.id,
      },
    });
    const level = status >= 500 ? 'error' : logsEachRequest && !isProbe(request) ? 'info' : 'debug';
    if (log.isLevelEnabled(level)) {
      const { id: request_id, visitId: visit_id } = request;
      log[level]({ request_id, visit_id, method, route, status, ms: Math.round(ms) }, 'answered');
    }
    done();
  });
}

function readerOf({ method, headers }: FastifyRequest): Reader {
  return { locale: parseLocale(headers['accept-language']), isShown: method === 'GET' || method === 'HEAD' };
}

/** True for a request whose body nothing reads. */
function hasNoBody({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function answered({ method, routeOptions: { url: route } }: FastifyRequest, reply: FastifyReply) {
  return { method, route, status: reply.statusCode, ms: reply.elapsedTime };
}

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/health/') === true;
}
