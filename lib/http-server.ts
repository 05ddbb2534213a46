import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
  type RouteHandlerMethod,
  type RouteOptions,
} from 'fastify';
import {
  type DomainError,
  ForbiddenError,
  invalid,
  MethodNotAllowedError,
  NotFoundError,
  TooLargeError,
  UnavailableError,
  UnsupportedTypeError,
} from './errors.ts';
import { ADMITTED, type Guard, publicRoute, Redirect } from './guards.ts';
import { asDomainError } from './http/as-domain-error.ts';
import { compileCheck, compileWriter } from './http/compile-schemas.ts';
import { followRequests, type RequestFollowers } from './http/follow-requests.ts';
import { createForwarding } from './http/forwarding.ts';
import { limitBody, OPEN_BODY_MAX_BYTES } from './http/limit-body.ts';
import { type ConnectionLimits, createLimitedServer } from './http/limited-server.ts';
import { createCaughtPaths, methodsAt } from './http/methods-at.ts';
import { unavailableBody } from './process/readiness.ts';
import { requestIdIn } from './request-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    guard?: Guard;
    /** Requested by a page and not by a person, so it keeps no session alive (SESSION-2). */
    background?: boolean;
    /** Not counted by rate limits: static files, probes, and machines that prove who they are (RATE-2). */
    isUncounted?: true;
    /** The provider's template for each mail that the route causes, by event (EMAIL-16). */
    mails?: Readonly<Record<string, string>>;
  }
  interface FastifyInstance {
    /** Every route with what it declares, in the order of declaration; the source of `routes.txt`. */
    guardedRoutes: GuardedRoute[];
  }
  interface FastifyRequest {
    /** The random number of the visit that the request is part of, by which support finds what a person did and saw. */
    readonly visitId: string | undefined;
  }
}

const PROBE = publicRoute('health probe');
const TYPE_MAX = 500;
const DEPTH_MAX = 64;
const TOO_DEEP = invalid('body', `The body nests deeper than ${DEPTH_MAX} levels.`);

interface HttpServerOptions extends RequestFollowers {
  /** The proxies whose headers about the visitor's address count (lib/http/forwarding.ts). */
  trustProxy?: string | undefined;
  forwardingSecret?: string | undefined;
  /** Rejects while something that the server needs is unavailable. */
  ready?: () => Promise<unknown>;
  /** Rejects until the database fits this version; until then every call except a probe is answered with that error. */
  requirePrepared?: (() => Promise<void>) | undefined;
  /**
   * Shapes a failure for the caller. `error` is undefined for an internal error, about which no caller may learn anything: answer
   * 500.
   */
  sendError: (error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply) => unknown;
  /** Counts a call by its source address, before its guard runs. Throws to reject it. */
  countCall?: (request: FastifyRequest) => Promise<unknown>;
  /** The number of a request's visit; by default from `X-Visit-Id`. */
  visitOf?: (request: FastifyRequest) => string | undefined;
  fastifyOptions?: FastifyServerOptions;
  limits?: ConnectionLimits | undefined;
  /** The largest body in bytes that a route reads unless it sets its own `bodyLimit`. */
  bodyMaxBytes?: number;
}

export interface GuardedRoute {
  method: string;
  url: string;
  guard: string;
  query: string[];
  /** Its limits, whether it keeps a session alive, and the templates of its mails, as `routes.txt` lists them. */
  declares: string;
}

export type HttpServer = Awaited<ReturnType<typeof createHttpServer>>;

/**
 * The only function that makes an HTTP server. A route without a guard stops the start (GUARD-1). The guard runs before the body
 * is read. Every failure reaches `sendError` as a domain error or, if it is an internal error, as `undefined`.
 */
export async function createHttpServer(options: HttpServerOptions) {
  const { ready, requirePrepared, sendError, countCall, visitOf = namedVisit } = options;
  const app = createFastify(options);
  const guardedRoutes: GuardedRoute[] = [];
  app.decorate('guardedRoutes', guardedRoutes);
  app.decorateRequest('visitId', {
    getter(this: FastifyRequest) {
      return visitOf(this);
    },
  });
  await app.register(cookie);
  // No call takes plain text.
  app.removeContentTypeParser('text/plain');
  // Clients declare JSON by default, even without a body.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : nestsTooDeep(body) ? done(TOO_DEEP) : parseJson(request, body, done),
  );

  const isCaught = createCaughtPaths(guardedRoutes);
  const otherMethods = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = methodsAt(guardedRoutes, request.url);
    reply.header('allow', allowed.join(', '));
    return new MethodNotAllowedError(allowed);
  };

  app.addHook('onRoute', (route) => {
    const guard = route.config?.guard;
    if (guard === undefined) throw new Error(`The route ${route.method} ${route.url} declares no guard.`);
    const declares = describeDeclared(route);
    if (guard.isOpen) route.bodyLimit ??= OPEN_BODY_MAX_BYTES;
    if (guard.confirm !== undefined) {
      if (route.method !== 'GET' && route.method !== 'HEAD')
        throw new Error(`The route ${route.method} ${route.url} does not only read, so its guard must end before it.`);
      route.handler = confirming(route.handler, guard.confirm);
    }
    for (const method of [route.method].flat()) {
      if (method === 'HEAD') continue;
      guardedRoutes.push({ method, url: route.url, guard: guard.name, query: queryOf(route.schema), declares });
    }
  });
  followRequests(app, options);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    requireShortBody(request, reply);
    const { guard, isUncounted } = request.routeOptions.config;
    if (guard !== PROBE) await requirePrepared?.();
    if (countCall !== undefined && isUncounted !== true) await countCall(request);
    // Only an address without a route has no guard (see onRoute).
    if (guard === undefined) return;
    if (isCaught(request.routeOptions.url, request.url)) throw otherMethods(request, reply);
    const verdict = await guard.admit(request);
    if (verdict === ADMITTED) return requireShortContentType(request);
    if (verdict instanceof Redirect) return reply.redirect(verdict.path, verdict.status);
    throw new ForbiddenError();
  });
  app.addHook('preHandler', admitBody);

  app.setValidatorCompiler(compileCheck);
  app.setSerializerCompiler(compileWriter);
  const answerError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    // The client is gone, and nothing of ours failed.
    if (isBrokenOff(request)) return sendError(invalid('body', 'The request broke off.'), request, reply);
    const domainError = asDomainError(error);
    if (domainError === undefined) request.log.error({ err: error, request_id: request.id, visit_id: request.visitId }, 'failed');
    if (domainError instanceof UnavailableError) request.log.warn({ err: error, request_id: request.id }, 'unavailable');
    return sendError(domainError, request, reply);
  };
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const confirmed = request.routeOptions.config.guard?.confirm?.(request);
    // Someone who is not let in gets that answer, and not the error of their request.
    const answer = (actual: FastifyError) => answerError(actual, request, reply);
    return confirmed === undefined ? answer(error) : confirmed.then(() => answer(error), answer);
  });
  app.setNotFoundHandler((request, reply) => {
    const hasMethods = methodsAt(guardedRoutes, request.url).length > 0;
    return sendError(hasMethods ? otherMethods(request, reply) : new NotFoundError(), request, reply);
  });

  addProbes(app, ready);
  return app;
}

/** Runs the part of a guard that needs the body. Most routes have none, and need no promise for it. */
function admitBody(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const admitting = request.routeOptions.config.guard?.admitBody?.(request);
  if (admitting === undefined) done();
  else admitting.then(() => done(), done);
}

/** Sends the answer of a handler only when the guard has confirmed the request, for which both run at the same time. */
function confirming(handler: RouteHandlerMethod, confirm: NonNullable<Guard['confirm']>): RouteHandlerMethod {
  return async function (request, reply) {
    const [answer] = await Promise.all([handler.call(this, request, reply), confirm(request)]);
    return answer;
  };
}

function createFastify(options: HttpServerOptions) {
  const { log, trustProxy, forwardingSecret, sendError, fastifyOptions, limits, bodyMaxBytes = 512 * 1024 } = options;
  const forwarding = createForwarding(trustProxy, forwardingSecret);
  return fastify({
    loggerInstance: log,
    // followRequests writes our own line for each request, without query strings and personal data.
    logController: new LogController({ disableRequestLogging: true }),
    // The first hop is our peer: `clean` has already removed its headers unless they count.
    trustProxy: (address, hop) => hop === 0 || forwarding.isProxy(address),
    genReqId: ({ headers }) => requestIdIn(headers),
    // Every log entry gets the request's id from its context, so a request needs no logger of its own.
    childLoggerFactory: (logger) => logger,
    bodyLimit: bodyMaxBytes,
    serverFactory: (handler) =>
      createLimitedServer(
        (request, response) => {
          forwarding.clean(request);
          handler(request, response);
        },
        {
          limits,
          // Each route has its own limit; see `requireShortBody`.
          bodyMaxBytes: () => Number.POSITIVE_INFINITY,
          onCut: (connections) => log.warn({ connections }, 'connections were cut off'),
        },
      ),
    // The limited server answers requests that cannot be read.
    clientErrorHandler() {},
    forceCloseConnections: 'idle',
    // A request that was accepted is still served, because no other process can answer on its connection.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      const fits = limitBody(request.raw, OPEN_BODY_MAX_BYTES);
      if (!fits) reply.header('connection', 'close');
      void sendError(fits ? asDomainError(error) : new TooLargeError('This is too large.'), request, reply);
    },
    ...fastifyOptions,
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function addProbes(app: ReturnType<typeof createFastify>, ready: HttpServerOptions['ready']): void {
  const config = { guard: PROBE, isUncounted: true } as const;
  app.get('/health/live', { config, schema: { hide: true } as object }, () => ({ status: 'ok' }));
  app.get('/health/ready', { config, schema: { hide: true } as object }, async (_request, reply) => {
    try {
      await ready?.();
      return { status: 'ok' };
    } catch (error) {
      return reply.code(503).header('retry-after', '2').send(unavailableBody(error));
    }
  });
}

/**
 * Lists every route with its guard and what else it declares, one per line, for `routes.txt`, so that a change of access is a
 * visible diff (GUARD-11).
 */
export function formatRoutes(app: Pick<HttpServer, 'guardedRoutes'>): string {
  const rows = app.guardedRoutes.map(
    ({ method, url, guard, declares }) => `${method.padEnd(6)} ${url.padEnd(44)} ${guard}${declares && ` | ${declares}`}`,
  );
  return `${rows.sort().join('\n')}\n`;
}

function describeDeclared({ bodyLimit, config }: RouteOptions): string {
  const { isUncounted, background, mails = {} } = config ?? {};
  const parts = [
    bodyLimit !== undefined && `up to ${bodyLimit} bytes`,
    isUncounted && 'not counted',
    background && 'background',
    ...Object.entries(mails).map(([event, template]) => `mail ${event}: ${template}`),
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function queryOf(schema: { querystring?: unknown } | undefined): string[] {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  return Object.keys(properties);
}

/** Starts to listen. @returns the port, which the system chooses if the given one is 0. */
export async function listen(app: HttpServer, host: string, port: number): Promise<number> {
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
}

/** The visit that a client names; any other value of the header stays out of logs. */
function namedVisit({ headers }: FastifyRequest): string | undefined {
  const visit = headers['x-visit-id'];
  return typeof visit === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(visit) ? visit : undefined;
}

/**
 * Applies the route's limit to a body before anything reads it, even if the route reads it as a stream (EDGE-2).
 * @throws {TooLargeError} for a request that announces a longer body.
 */
function requireShortBody({ method, raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const isRead = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS' && routeOptions.config.guard !== undefined;
  const fits = limitBody(raw, isRead ? routeOptions.bodyLimit : OPEN_BODY_MAX_BYTES);
  if (fits) return;
  // The rest of the body is not read, so no other request can follow on this connection.
  reply.header('connection', 'close');
  throw new TooLargeError('This is too large.');
}

/** A boundary has at most 70 characters (RFC 2046, 5.1.1); readers of forms fail at far longer ones. */
function requireShortContentType({ headers }: FastifyRequest): void {
  if ((headers['content-type'] ?? '').length > TYPE_MAX) {
    throw new UnsupportedTypeError('This content type isn’t accepted here.');
  }
}

/** True if JSON nests deeper than any meaningful input. Later readers recurse into each level. */
function nestsTooDeep(json: string): boolean {
  let [depth, isText] = [0, false];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (isText && character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '[' || character === '{')) depth++;
    else if (!isText && (character === ']' || character === '}')) depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** True if the connection ended before the request did. Every reader of the body then fails with the connection's error. */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}
