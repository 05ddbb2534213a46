import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, loadConfig } from '@case-platform/lib/config';
import { createLimitedServer } from '@case-platform/lib/limited-server';
import { refuseToStart, runUntilStopped } from '@case-platform/lib/process';
import { isPassedOn, passOn } from './lib/pass-on-call.ts';

const PROBE_WITHIN_MS = 2000;
/** Names of who asked and for what, which only a proxy that we were told to trust may set. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto'];

try {
  await start(loadConfig());
} catch (error) {
  refuseToStart(error);
}

async function start(config: Config): Promise<never> {
  giveEnvironment(config);
  let pages: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  const server = createLimitedServer((request, response) => {
    if (isHealthPath(request.url)) return answerHealth(request.url, pages ? config.apiUrl : null, response);
    if (pages === undefined) return answer(response, 503);
    passAddressOn(request, config.trustProxy !== undefined);
    if (isPassedOn(request.url)) return passOn(request, response);
    return pages(request, response);
  });
  const port = await listen(server, config);
  // Imported only now, because Next.js looks at the environment while it is being loaded.
  const { default: next } = await import('next');
  const app = next({ dev: false, dir: import.meta.dirname, hostname: config.host, port });
  await app.prepare();
  pages = app.getRequestHandler();
  return runUntilStopped({
    name: 'web',
    info: { port },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await app.close();
    },
  });
}

/** What the pages and routes read at run time (lib/server-environment.ts). */
function giveEnvironment(config: Config): void {
  Object.assign(process.env, {
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NEXTAUTH_URL: config.webUrl,
    NEXTAUTH_SECRET: config.authSecret,
    API_URL: config.apiUrl,
    STORAGE_ORIGIN: new URL(config.s3.endpoint).origin,
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

function isHealthPath(url: string | undefined): url is '/health/live' | '/health/ready' {
  return url === '/health/live' || url === '/health/ready';
}

async function answerHealth(url: '/health/live' | '/health/ready', apiUrl: string | null, response: ServerResponse) {
  const ok = url === '/health/live' || (apiUrl !== null && (await isReady(apiUrl)));
  answer(response, ok ? 200 : 503);
}

function answer(response: ServerResponse, status: 200 | 503): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ status: status === 200 ? 'ok' : 'unavailable' }));
}

/** There is nothing to show while the API cannot be asked. */
async function isReady(apiUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${apiUrl}/health/ready`, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}

/**
 * Adds the socket's own address to those that a trusted proxy has named, as every proxy does: the API counts from the right
 * and stops at the first that it does not trust. Without a trusted proxy nobody may claim another address, host or protocol.
 */
function passAddressOn(request: IncomingMessage, hasProxy: boolean): void {
  const named = hasProxy ? request.headers['x-forwarded-for'] : undefined;
  if (!hasProxy) for (const name of FORWARDING) delete request.headers[name];
  const address = request.socket.remoteAddress;
  const chain = [named, address].flat().filter((part) => part !== undefined && part !== '');
  if (chain.length > 0) request.headers['x-forwarded-for'] = chain.join(', ');
}
