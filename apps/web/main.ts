import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brand, logoUrl } from '@case-platform/lib/brand';
import { type Config, loadConfig } from '@case-platform/lib/config';
import { addOwnHop, createForwarding } from '@case-platform/lib/http/forwarding';
import { OPEN_BODY_MAX_BYTES } from '@case-platform/lib/http/limit-body';
import { createLimitedServer } from '@case-platform/lib/http/limited-server';
import { createLog, type Log } from '@case-platform/lib/log';
import type { ObserveRequest } from '@case-platform/lib/metrics/metrics';
import { watchProcess } from '@case-platform/lib/metrics/watch-process';
import { exitWithError, runUntilStopped } from '@case-platform/lib/process';
import { createReadiness, NotPreparedError, unavailableBody } from '@case-platform/lib/process/readiness';
import { parseLocale, runForReader } from '@case-platform/lib/reader-locale';
import { requestIdIn, traceparentIn } from '@case-platform/lib/request-context';
import { traceProcess } from '@case-platform/lib/tracing/trace-process';
import type { Tracing } from '@case-platform/lib/tracing/tracing';
import { drawBrandIcons } from './server/brand-icons.ts';
import { callBodyMaxBytes } from './server/call-body-limit.ts';
import { forwardCall, isForwarded } from './server/forward-call.ts';
import { isImagePath } from './server/image-path.ts';
import { endStreams } from './server/pass-through.ts';
import { createRoutePatterns } from './server/route-pattern.ts';
import { STRICT_TRANSPORT } from './server/security-headers.ts';

const PROBE_WITHIN_MS = 2000;
/** The status that nginx logs when the client closed the connection before the answer. */
const CLIENT_LEFT = 499;
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
const HEALTH = ['/health/live', '/health/ready'] as const;
/** The paths of the static files that Next.js serves. */
const FILES = new Set(readdirSync(join(import.meta.dirname, 'public')).map((name) => `/${name}`));
try {
  await start(loadConfig('web'));
} catch (error) {
  exitWithError(error);
}

async function start(config: Config): Promise<never> {
  giveEnvironment(config);
  const log = createLog('web', config.logLevel);
  const watched = await watchProcess('web', config);
  const forwarding = createForwarding(config.trustProxy, undefined);
  const isHttps = config.webUrl.startsWith('https://');
  const icons = await drawBrandIcons(brand().logo);
  const { promise: pages, resolve: servePages } = Promise.withResolvers<RequestHandler>();
  let ready = (): Promise<void> => Promise.reject(new Error('the pages are being loaded'));
  const tracing = await traceProcess('web', config, log);
  const observers = [watched?.metrics.observeRequest, config.accessLog ? createAccessLog(log) : undefined];
  const observe = createObserver(
    observers.filter((one) => one !== undefined),
    tracing,
  );
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    forwarding.clean(request);
    addOwnHop(request);
    nameRequest(request);
    observe(request, response);
    if (isForwarded(request.url)) return forwardCall(request, response);
    response.setHeader('x-request-id', request.headers['x-request-id'] ?? '');
    if (isHttps) response.setHeader('strict-transport-security', STRICT_TRANSPORT);
    if (isImagePath(request.url ?? '')) return refuseImage(response);
    if (isMisused(request)) return refuseMethod(response);
    if (isHealthPath(request.url)) return answerHealth(request.url, ready, response);
    if (isUnknownFile(request)) return answerNotFound(response);
    const icon = icons.get(pathOf(request));
    if (icon !== undefined) return answerIcon(response, icon);
    // A load balancer sends requests as soon as this process listens. They wait for the second that Next.js needs to load.
    const reader = { locale: parseLocale(request.headers['accept-language']), isShown: true };
    const handle = await pages;
    return runForReader(reader, () => handle(request, response));
  };
  const server = createLimitedServer(listener, {
    bodyMaxBytes: (request) => callBodyMaxBytes(request) ?? OPEN_BODY_MAX_BYTES,
    onCut: (connections) => log.warn({ connections }, 'connections were cut off'),
  });
  const port = await listen(server, config);
  // Next.js reads the environment when it is imported, so it is imported after giveEnvironment().
  const { default: next } = await import('next');
  const app = next({ dev: false, dir: import.meta.dirname, hostname: config.host, port });
  await app.prepare();
  servePages(app.getRequestHandler());
  ready = createReadiness([() => requireReadyApi(config.apiInternalUrl)], log, { isQuietAtStart: true });
  const internal = await watched?.serve(ready);
  return runUntilStopped({
    name: 'web',
    log,
    drainSeconds: config.drainSeconds,
    info: { port, internal_port: internal?.port },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      endStreams();
      await closed;
      await app.close();
      await tracing?.stop();
      internal?.stop();
    },
  });
}

/** Gives every request an id for the logs, and removes a malformed `traceparent` (EDGE-5, METRIC-4). */
function nameRequest({ headers }: IncomingMessage): void {
  headers['x-request-id'] = requestIdIn(headers);
  headers.traceparent = traceparentIn(headers);
  if (headers.traceparent === undefined) delete headers.traceparent;
}

type Answered = Parameters<ObserveRequest>[0] & { request_id: string | undefined };

/** Observes every answer except streams, which last until the reader leaves. */
function createObserver(observers: readonly ((answered: Answered) => void)[], tracing: Tracing | undefined) {
  if (observers.length === 0 && tracing === undefined) return () => {};
  const routeOf = createRoutePatterns(import.meta.dirname, new Set([...FILES, ...HEALTH]));
  return ({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse) => {
    if (headers.accept === 'text/event-stream') return;
    const span = isHealthPath(url) ? undefined : tracing?.begin('server', headers.traceparent?.toString());
    if (span !== undefined) headers.traceparent = span.traceparent;
    const startedAt = performance.now();
    const request_id = headers['x-request-id']?.toString();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : CLIENT_LEFT;
      const answered = { request_id, method, route: routeOf(url), status, ms: performance.now() - startedAt };
      for (const observe of observers) observe(answered);
      span?.end({
        name: `${method} ${answered.route ?? 'none'}`,
        failed: status >= 500,
        attributes: {
          'http.request.method': method,
          'http.route': answered.route,
          'http.response.status_code': status,
          request_id,
        },
      });
    });
  };
}

function createAccessLog(log: Log): (answered: Answered) => void {
  return ({ ms, ...answered }) => {
    if (!isHealthPath(answered.route)) log.info({ ...answered, ms: Math.round(ms) }, 'answered');
  };
}

/** Sets the variables that pages and routes read at run time (api/server-environment.ts). */
function giveEnvironment(config: Config): void {
  Object.assign(process.env, {
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NEXTAUTH_URL: config.webUrl,
    NEXTAUTH_SECRET: config.authSecret,
    NEXTAUTH_SECRET_PREVIOUS: config.authSecretPrevious ?? '',
    API_URL: config.apiInternalUrl,
    STORAGE_ORIGIN: config.storageOrigin,
    FORWARDING_SECRET: config.forwardingSecret ?? '',
    STAFF_SIGN_IN_URL: config.staffSignInUrl ?? '',
    DEMO_PEOPLE: config.offersDemoPeople ? '1' : '',
    BRAND_NAME: brand().name,
    BRAND_LOGO_URL: logoUrl() ?? '',
  });
}

function listen(server: Server, config: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`;
      reject(new Error(`WEB_PORT ${config.webPort} on ${config.host} ${reason}.`));
    });
    server.listen(config.webPort, config.host, () => resolve((server.address() as AddressInfo).port));
  });
}

type HealthPath = (typeof HEALTH)[number];

function isHealthPath(url: string | undefined): url is HealthPath {
  return HEALTH.some((path) => path === url);
}

async function answerHealth(url: HealthPath, ready: () => Promise<void>, response: ServerResponse) {
  if (url === '/health/live') return answer(response, 200);
  await ready().then(
    () => answer(response, 200),
    (error) => answer(response, 503, unavailableBody(error)),
  );
}

/** Pages and files take only GET and HEAD. Next.js would render a page for any method, and answer 500 for a file. */
function isMisused({ method = '', url = '' }: IncomingMessage): boolean {
  return !url.startsWith('/api/') && !['GET', 'HEAD'].includes(method);
}

function refuseImage(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
  response.end('Pictures are not converted here.');
}

/**
 * True for a file that this version does not have. During an upgrade the other version may have it, and a load balancer retries
 * there after a 404. Next.js would redirect to the sign-in page.
 */
function isUnknownFile(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return /^\/[\w.-]+\.(?:css|html|ico|js|png|svg|webp|woff2)$/.test(path) && path !== '/favicon.ico' && !FILES.has(path);
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function answerIcon(response: ServerResponse, icon: Buffer): void {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': icon.length, 'cache-control': 'public, max-age=0' });
  response.end(icon);
}

function answerNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
  response.end('There is no such file.');
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { allow: 'GET, HEAD', 'content-type': 'text/plain', 'cache-control': 'no-store' });
  response.end('Only GET and HEAD are answered here.');
}

function answer(
  response: ServerResponse,
  status: 200 | 503,
  body: object = { status: status === 200 ? 'ok' : 'unavailable' },
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** @throws {Error} while the API cannot be reached or is not ready, with its reason if it gives one. */
async function requireReadyApi(apiUrl: string): Promise<void> {
  const answer = await fetch(`${apiUrl}/health/ready`, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) });
  const body: { reason?: string } = await answer.json().catch(() => ({}));
  if (body.reason !== undefined) throw new NotPreparedError(`The API is not ready: ${body.reason}`);
  if (!answer.ok) throw new Error('the API is not ready');
}
