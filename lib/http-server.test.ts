import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { DomainError, TooManyRequestsError, UnavailableError } from './errors.ts';
import { defineGuard, publicRoute } from './guards.ts';
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

/** A server with two routes, what it has logged, and what it answers. */
async function startExample(options: { ready?: () => Promise<unknown> } = {}) {
  const lines: Record<string, unknown>[] = [];
  const app = await createHttpServer({
    log: pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    sendError: (error, _request, reply) => reply.code(error instanceof DomainError ? error.status : 500).send(),
    ...options,
  });
  after(() => app.close());
  const config = { guard: publicRoute('a test') };
  app.get('/', { config, bodyLimit: 1024 * 1024 }, ({ visitId }) => ({ visitId }));
  app.post('/', { config, bodyLimit: 1024 * 1024 }, () => ({}));
  app.get('/away', { config }, () => {
    throw new UnavailableError();
  });
  return { app, lines };
}

test('[EDGE-2] a body that nothing reads has its own limit, whatever the route reads with another method', async () => {
  const { app } = await startExample();
  const statusOf = async (method: 'GET' | 'HEAD' | 'POST', bytes: number) =>
    (
      await app.inject({
        method,
        url: '/',
        headers: { 'content-type': 'application/json' },
        payload: `"${'x'.repeat(bytes - 2)}"`,
      })
    ).statusCode;
  const [most, ofRoute] = [16 * 1024, 1024 * 1024];
  for (const method of ['GET', 'HEAD'] as const)
    assert.deepEqual([await statusOf(method, most), await statusOf(method, most + 1)], [200, 413], method);
  assert.deepEqual([await statusOf('POST', ofRoute), await statusOf('POST', ofRoute + 1)], [200, 413]);
});

test('[ERROR-4, HEALTH-1] an outage is logged with its request, and a probe of a process that is not ready says when to come back', async () => {
  const { app, lines } = await startExample({ ready: () => Promise.reject(new Error('away')) });
  await app.inject({ url: '/away' });
  assert.deepEqual(
    lines.map(({ level, msg, request_id }) => [level, msg, typeof request_id]),
    [
      [40, 'unavailable', 'string'],
      [50, 'answered', 'string'],
    ],
  );
  const { statusCode, headers, body } = await app.inject('/health/ready');
  assert.deepEqual([statusCode, headers['retry-after'], body], [503, '2', '{"status":"unavailable"}']);
});

test('a visit has the one form that our pages write, and a content type has up to 500 characters', async () => {
  const { app } = await startExample();
  const visitOf = async (visit: string) => (await app.inject({ url: '/', headers: { 'x-visit-id': visit } })).json().visitId;
  const visit = '3f2a6c1e-90ab-4cde-8f01-23456789abcd';
  assert.equal(await visitOf(visit), visit);
  for (const other of [visit.toUpperCase(), `${visit} `.repeat(2).trim(), visit.slice(1), `{${visit}}`])
    assert.equal(await visitOf(other), undefined);
  const typed = async (length: number) => {
    const type = `application/json; x=${'x'.repeat(length - 20)}`;
    return (await app.inject({ method: 'POST', url: '/', headers: { 'content-type': type }, payload: '{}' })).statusCode;
  };
  assert.deepEqual([await typed(500), await typed(501)], [200, 415]);
});

test('[PROCESS-1] a server that closes still serves what it has accepted: calls under way, and one whose header is still arriving', async () => {
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (error, _request, reply) => reply.code(error?.status ?? 500).send(),
  });
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const config = { guard: publicRoute('a test') };
  app.get('/', { config }, () => 'at once');
  app.get('/slow', { config }, async () => {
    begun.resolve();
    await gate.promise;
    return 'in the end';
  });
  const port = await listen(app, '127.0.0.1', 0);
  const dial = async (words: string) => {
    const accepted = once(app.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.write(words);
    await accepted;
    return { socket, received: text(socket) };
  };
  const slow = await dial('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  const late = await dial('GET / HTTP/1.1\r\nHost: a\r\n');
  await begun.promise;
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  late.socket.write('\r\n');
  assert.match(await late.received, /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*at once$/i);
  gate.resolve();
  assert.match(await slow.received, /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*in the end$/i);
  await closed;
});

test('[RATE-1, GUARD-1] a call is counted before its guard sees it, and goes no further when it is one too many', async () => {
  const steps: string[] = [];
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (error, _request, reply) => reply.code(error?.status ?? 500).send(),
    requirePrepared: async () => void steps.push('prepared'),
    countCall: async ({ headers }) => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('counted');
      if (headers['x-over'] !== undefined) throw new TooManyRequestsError(1);
    },
  });
  after(() => app.close());
  const guard = defineGuard(
    'test()',
    () => {
      steps.push('admitted');
      return true;
    },
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('body admitted');
    },
  );
  app.get('/', { config: { guard } }, () => steps.push('handled'));
  app.get('/uncounted', { config: { guard, isUncounted: true } }, () => steps.push('handled'));
  const stepsOf = async (url: string, headers = {}) => {
    steps.length = 0;
    return [(await app.inject({ url, headers })).statusCode, ...steps];
  };
  const served = ['admitted', 'body admitted', 'handled'];
  assert.deepEqual(await stepsOf('/'), [200, 'prepared', 'counted', ...served]);
  assert.deepEqual(await stepsOf('/', { 'x-over': '1' }), [429, 'prepared', 'counted']);
  assert.deepEqual(await stepsOf('/uncounted', { 'x-over': '1' }), [200, 'prepared', ...served]);
  assert.deepEqual(await stepsOf('/nowhere'), [404, 'prepared', 'counted'], 'also where nothing is');
  assert.deepEqual(await stepsOf('/health/live'), [200]);
});

test('[EDGE-2, EDGE-4, ERROR-3] every answer names its request and its type, a 405 what is allowed, and one to a long body that it is the last', async () => {
  const { app } = await startExample();
  app.post('/usual', { config: { guard: defineGuard('test()', () => true) } }, () => ({}));
  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, bytes?: number) => {
    const payload = bytes === undefined ? {} : { payload: `"${'x'.repeat(bytes - 2)}"` };
    const { statusCode, headers } = await app.inject({
      method,
      url,
      headers: { 'content-type': 'application/json' },
      ...payload,
    });
    assert.equal(headers['x-content-type-options'], 'nosniff', url);
    assert.match(String(headers['x-request-id']), /^[\w.-]{8,64}$/, url);
    return { status: statusCode, allow: headers.allow, connection: headers.connection === 'close' };
  };
  const usual = 512 * 1024;
  assert.deepEqual(await ask('GET', '/'), { status: 200, allow: undefined, connection: false });
  assert.deepEqual(await ask('DELETE', '/'), { status: 405, allow: 'GET, HEAD, POST', connection: false });
  assert.deepEqual(await ask('GET', '/nowhere'), { status: 404, allow: undefined, connection: false });
  assert.deepEqual(await ask('POST', '/usual', usual), { status: 200, allow: undefined, connection: false });
  assert.deepEqual(await ask('POST', '/usual', usual + 1), { status: 413, allow: undefined, connection: true });
});
