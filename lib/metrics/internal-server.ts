import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPEN_BODY_MAX_BYTES } from '../http/limit-body.ts';
import { createLimitedServer } from '../http/limited-server.ts';
import { unavailableBody } from '../process/readiness.ts';
import type { Metrics } from './metrics.ts';

interface InternalServer {
  host: string;
  port: number;
  /** The name of the port's setting, for the error if the port cannot be used. */
  setting: string;
  metrics: Metrics;
  /** Readers of the metrics send it as a bearer token. Without one, nobody can read them. */
  metricsToken: string | undefined;
  /** Rejects while this process cannot do its work. */
  ready: () => Promise<unknown>;
}

/**
 * A listener for operators only: `/metrics`, which needs a token (METRIC-2), and the probes `/health/live` and `/health/ready`,
 * which are public because they only say whether the process works (METRIC-1). Its host is 127.0.0.1 unless set otherwise.
 * @returns the port, and a function that stops it. Call that last, so that the process can be observed for as long as it lives.
 */
export async function startInternalServer(options: InternalServer): Promise<{ port: number; stop: () => void }> {
  const { host, port, setting } = options;
  const server = createLimitedServer((request, response) => void answer(options, request, response), {
    bodyMaxBytes: () => OPEN_BODY_MAX_BYTES,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`;
      reject(new Error(`${setting} ${port} on ${host} ${reason}.`));
    });
    server.listen(port, host, resolve);
  });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

async function answer(
  { metrics, metricsToken, ready }: InternalServer,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const say = (status: number, type: string, body: string) => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : body);
  };
  const sayOk = () => say(200, 'application/json', JSON.stringify({ status: 'ok' }));
  if (method !== 'GET' && method !== 'HEAD') return say(405, 'text/plain', 'Only GET and HEAD are allowed here.\n');
  if (url === '/metrics' && metricsToken === undefined) return say(403, 'text/plain', 'METRICS_TOKEN is not set.\n');
  if (url === '/metrics' && !isBearer(headers.authorization, metricsToken)) {
    response.setHeader('www-authenticate', 'Bearer');
    return say(401, 'text/plain', 'Send METRICS_TOKEN as a bearer token.\n');
  }
  if (url === '/metrics') return say(200, 'text/plain; version=0.0.4; charset=utf-8', await metrics.text());
  if (url === '/health/live') return sayOk();
  if (url === '/health/ready') {
    return ready().then(sayOk, (error) => say(503, 'application/json', JSON.stringify(unavailableBody(error))));
  }
  say(404, 'text/plain', 'Only /metrics, /health/live, and /health/ready exist here.\n');
}

function isBearer(authorization = '', token = ''): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.replace(/^bearer /i, 'Bearer ')), digest(`Bearer ${token}`));
}
