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
import { ADMITTED, type Guard, LedElsewhere, publicRoute } from './guards.ts';
import { asDomainError } from './http/as-domain-error.ts';
import { compileCheck, compileWriter } from './http/compile-schemas.ts';
import { followRequests, type RequestFollowers } from './http/follow-requests.ts';
import { createForwarding } from './http/forwarding.ts';
import { limitBody, OPEN_BODY_MAX_BYTES } from './http/limit-body.ts';
import { type ConnectionLimits, createLimitedServer } from './http/limited-server.ts';
import { createCaughtPaths, methodsAt } from './http/methods-at.ts';
import { unavailableBody } from './readiness.ts';
import { requestIdIn } from './request-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    guard?: Guard;
    /** Asked for by a page and not by a person: it keeps no session alive. */
    background?: boolean;
    /** Left out where calls are counted: static files, probes, and machines that prove who they are. */
    isUncounted?: true;
  }
  interface FastifyInstance {
    /** Every route with its guard, in the order of declaration; what `routes.txt` is made from. */
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
  /** Whose word about a visitor's address counts (lib/http/forwarding.ts). */
  trustProxy?: string | undefined;
  forwardingSecret?: string | undefined;
  /** Rejects while something that the server cannot work without is away. */
  ready?: () => Promise<unknown>;
  /** Rejects until the database fits this version; until then every call but a probe is answered with that. */
  requirePrepared?: (() => Promise<void>) | undefined;
  /** Shapes a failure for the caller. `error` is undefined for what nobody may learn anything about: answer 500. */
  sendError: (error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply) => unknown;
  /** Counts a call by the address that it comes from, before its guard has looked at it. Throws to refuse it. */
  countCall?: (ip: string) => Promise<void>;
  /** The number of a request's visit; by default what `X-Visit-Id` says. */
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
  /** The names of its query parameters. */
  query: string[];
}

export type HttpServer = Awaited<ReturnType<typeof createHttpServer>>;

/**
 * The only place that makes an HTTP server. A route without a guard stops the start; the guard runs before the body is
 * read; every failure reaches `sendError` as a domain error or, when it is a fault of ours, as `undefined`.
 */
export async function createHttpServer(options: HttpServerOptions) {
  const {
    log,
    trustProxy,
    forwardingSecret,
    ready,
    requirePrepared,
    sendError,
    countCall,
    fastifyOptions,
    limits,
    bodyMaxBytes = 512 * 1024,
    visitOf = namedVisit,
  } = options;
  const forwarding = createForwarding(trustProxy, forwardingSecret);
  const app = fastify({
    loggerInstance: log,
    // One line a request of our own, written below: no addresses with their query, no personal data.
    logController: new LogController({ disableRequestLogging: true }),
    // The first hop is our peer: `clean` has taken its word away unless it counts.
    trustProxy: (address, hop) => hop === 0 || forwarding.isProxy(address),
    genReqId: ({ headers }) => requestIdIn(headers),
    // Every entry carries the request's id by itself: no logger of its own for each request.
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
          // Each route has its own, see `refuseLongBody`.
          bodyMaxBytes: () => Number.POSITIVE_INFINITY,
          onCut: (connections) => log.warn({ connections }, 'connections were cut off'),
        },
      ),
    // What cannot be read is answered by that server.
    clientErrorHandler() {},
    forceCloseConnections: 'idle',
    // Whoever has come this far is served: to the end of a connection there is nobody else to ask on it.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      const fits = limitBody(request.raw, OPEN_BODY_MAX_BYTES);
      if (!fits) reply.header('connection', 'close');
      void sendError(fits ? asDomainError(error) : new TooLargeError('This is too large.'), request, reply);
    },
    ...fastifyOptions,
  }).withTypeProvider<TypeBoxTypeProvider>();
  const guardedRoutes: GuardedRoute[] = [];
  app.decorate('guardedRoutes', guardedRoutes);
  app.decorateRequest('visitId', {
    getter(this: FastifyRequest) {
      return visitOf(this);
    },
  });
  await app.register(cookie);
  // Clients name JSON by default, also where they send none.
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
    if (guard.isOpen) route.bodyLimit ??= OPEN_BODY_MAX_BYTES;
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD')
        guardedRoutes.push({ method, url: route.url, guard: guard.name, query: queryOf(route.schema) });
    }
  });
  followRequests(app, options);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    refuseLongBody(request, reply);
    const { guard, isUncounted } = request.routeOptions.config;
    if (guard !== PROBE) await requirePrepared?.();
    if (countCall !== undefined && isUncounted !== true) await countCall(request.ip);
    // Only an address that leads nowhere has none (see onRoute).
    if (guard === undefined) return;
    if (isCaught(request.routeOptions.url, request.url)) throw otherMethods(request, reply);
    const verdict = await guard.admit(request);
    if (verdict === ADMITTED) return refuseLongType(request);
    if (verdict instanceof LedElsewhere) return reply.redirect(verdict.path, verdict.status);
    throw new ForbiddenError();
  });
  app.addHook('preHandler', async (request) => {
    await request.routeOptions.config.guard?.admitBody?.(request);
  });

  app.setValidatorCompiler(compileCheck);
  app.setSerializerCompiler(compileWriter);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // Nobody is left to hear of it, and no part of ours has failed.
    if (isBrokenOff(request)) return sendError(invalid('body', 'The request broke off.'), request, reply);
    const known = asDomainError(error);
    if (known === undefined)
      request.log.error({ err: error, request_id: request.id, visit_id: request.visitId }, 'failed');
    if (known instanceof UnavailableError) request.log.warn({ err: error, request_id: request.id }, 'unavailable');
    return sendError(known, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const isKnown = methodsAt(guardedRoutes, request.url).length > 0;
    return sendError(isKnown ? otherMethods(request, reply) : new NotFoundError(), request, reply);
  });

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
  return app;
}

/** Every route with its guard, a line each, as `routes.txt` holds them: a change of who may enter is a visible diff. */
export function formatRoutes(app: Pick<HttpServer, 'guardedRoutes'>): string {
  const rows = app.guardedRoutes.map(({ method, url, guard }) => `${method.padEnd(6)} ${url.padEnd(44)} ${guard}`);
  return `${rows.sort().join('\n')}\n`;
}

function queryOf(schema: { querystring?: unknown } | undefined): string[] {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  return Object.keys(properties);
}

/** Listens, and says on which port: the one the system gave when asked for port 0. */
export async function listen(app: HttpServer, host: string, port: number): Promise<number> {
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
}

/** What a client names as its visit; whatever else is sent in its place stays out of logs. */
function namedVisit({ headers }: FastifyRequest): string | undefined {
  const visit = headers['x-visit-id'];
  return typeof visit === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(visit) ? visit : undefined;
}

/**
 * Holds a body to its route's limit before anything reads it, also where the route reads it as a stream.
 * @throws {TooLargeError} for a request that names a longer body.
 */
function refuseLongBody({ method, raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const isRead =
    method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS' && routeOptions.config.guard !== undefined;
  const fits = limitBody(raw, isRead ? routeOptions.bodyLimit : OPEN_BODY_MAX_BYTES);
  if (fits) return;
  // Not all of the body is going to be read, so the next request cannot follow it.
  reply.header('connection', 'close');
  throw new TooLargeError('This is too large.');
}

/** A boundary has at most 70 characters (RFC 2046, 5.1.1); readers of forms fail at far longer ones. */
function refuseLongType({ headers }: FastifyRequest): void {
  if ((headers['content-type'] ?? '').length > TYPE_MAX) {
    throw new UnsupportedTypeError('This content type isn’t accepted here.');
  }
}

/** Whether JSON nests deeper than anything that means something: what reads it afterwards goes down level by level. */
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

/** Whether the connection ended before the request did: whatever reads the body then fails with the connection's error. */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}
