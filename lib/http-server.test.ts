import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { DomainError, UnavailableError } from './errors.ts';
import { publicRoute } from './guards.ts';
import { asDomainError } from './http/as-domain-error.ts';
import { CONNECTION_LIMITS } from './http/limited-server.ts';
import { createHttpServer, listen } from './http-server.ts';
import { createLog } from './log.ts';

test('[EDGE-1] a stalled body gets 408 and loses its connection, without a logged error and without its handler', async () => {
  const lines: { level: number; msg: string }[] = [];
  const app = await createHttpServer({
    log: pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    sendError: (error, _request, reply) => reply.code(error instanceof DomainError ? error.status : 500).send(),
    limits: { ...CONNECTION_LIMITS, headerMs: 1000, bodySilentMs: 300 },
  });
  after(() => app.close());
  app.post('/', { config: { guard: publicRoute('a test') } }, () => assert.fail('its handler has run'));
  await listen(app, '127.0.0.1', 0);
  for (const headers of ['Content-Length: 20\r\n\r\n{"a":', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n']) {
    const socket = connect({ port: (app.server.address() as AddressInfo).port, allowHalfOpen: true });
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}`);
    assert.match(await text(socket), /^HTTP\/1\.1 408 Request Timeout\r\n/);
    socket.destroy();
  }
  assert.deepEqual(lines, []);
});

test('[ERROR-5] JSON that nests too deeply, and a content type that is too long, are rejected', async () => {
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (error, _request, reply) => reply.code(error instanceof DomainError ? error.status : 500).send(),
  });
  after(() => app.close());
  const config = { guard: publicRoute('a test') };
  app.post('/', { config, bodyLimit: 1024 * 1024 }, ({ body }) => JSON.stringify(body));
  const post = async (body: string, type = 'application/json') =>
    (await app.inject({ method: 'POST', url: '/', body, headers: { 'content-type': type } })).statusCode;
  assert.equal(await post(`${'['.repeat(64)}${']'.repeat(64)}`), 200);
  assert.equal(await post(`${'['.repeat(65)}${']'.repeat(65)}`), 422);
  assert.equal(await post(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`), 422);
  assert.equal(await post('['.repeat(20_000)), 422);
  assert.equal(await post(JSON.stringify({ text: `\\"${'[{'.repeat(1000)}` })), 200);
  assert.equal(await post('x', `multipart/form-data; boundary=${'x'.repeat(5000)}`), 415);
});

test('[HEALTH-2] while migrations are missing, calls are rejected, and a process stays alive but is not ready', async () => {
  const missing = () => Promise.reject(new UnavailableError(1, 'Migrations are missing.'));
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (error, _request, reply) => reply.code(error instanceof DomainError ? error.status : 500).send(),
    requirePrepared: missing,
    ready: missing,
  });
  after(() => app.close());
  app.get('/', { config: { guard: publicRoute('a test') } }, () => 'x');
  const statusOf = async (url: string) => (await app.inject(url)).statusCode;
  assert.deepEqual([await statusOf('/'), await statusOf('/health/live'), await statusOf('/health/ready')], [503, 200, 503]);
});

test('[ERROR-4] a transaction that the database aborted in favor of another one may be tried again', () => {
  for (const code of ['40001', '40P01']) {
    const error = asDomainError(Object.assign(new Error('deadlock detected'), { code }));
    assert.ok(error instanceof UnavailableError && error.retryAfter === 1, code);
  }
  assert.equal(asDomainError(Object.assign(new Error('a check failed'), { code: '23514' })), undefined);
});
