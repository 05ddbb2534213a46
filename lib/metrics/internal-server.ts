import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPEN_BODY_MAX_BYTES } from '../http/limit-body.ts';
import { createLimitedServer } from '../http/limited-server.ts';
import { unavailableBody } from '../readiness.ts';
import type { Metrics } from './metrics.ts';

interface InternalServer {
  host: string;
  port: number;
  /** The setting that the port comes from, to be named where it cannot be had. */
  setting: string;
  metrics: Metrics;
  /** Rejects while this process cannot do its work. */
  ready: () => Promise<unknown>;
}

/**
 * A listener for whoever runs the platform, and for nobody else: `/metrics`, `/health/live` and `/health/ready` (METRIC-1).
 * It has no guard, so it is kept off the network by its host, 127.0.0.1 unless told otherwise.
 * @returns the port, and what ends it: last of all, so that a process is seen for as long as it lives.
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
  { metrics, ready }: InternalServer,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const say = (status: number, type: string, body: string) => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : body);
  };
  const sayOk = () => say(200, 'application/json', JSON.stringify({ status: 'ok' }));
  if (method !== 'GET' && method !== 'HEAD') return say(405, 'text/plain', 'Here only GET, HEAD can be asked for.\n');
  if (url === '/metrics') return say(200, 'text/plain; version=0.0.4; charset=utf-8', await metrics.text());
  if (url === '/health/live') return sayOk();
  if (url === '/health/ready') {
    return ready().then(sayOk, (error) => say(503, 'application/json', JSON.stringify(unavailableBody(error))));
  }
  say(404, 'text/plain', 'Here are /metrics, /health/live and /health/ready.\n');
}
