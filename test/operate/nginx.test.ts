import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { OPEN_BODY_MAX_BYTES } from '@case-platform/lib/http/limit-body';
import { JSON_BODY_MAX_BYTES, MESSAGE_BODY_MAX_BYTES, RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import { ATTACHMENTS_BODY_MAX_BYTES } from '../../apps/admin/form/read-form.ts';
import { freeNginxPorts, makeCertificate, startNginx } from '../support/nginx-example.ts';

/** Runs the example of deploy/nginx in front of small servers, which record the requests that reach them. */

const folder = mkdtempSync(join(tmpdir(), 'nginx-example-'));
after(() => rmSync(folder, { recursive: true, force: true }));
await makeCertificate(folder);
const listening = await freeNginxPorts();

/** One process of the example. It has the files of its version only, and records the requests that reached it. */
class Upstream {
  readonly calls: string[] = [];
  /** The request id and trace context of each request. */
  readonly names: (string | undefined)[][] = [];
  readonly files: string[];
  port = 0;
  /** Ends the connection after reading the whole request, like a process that crashes. */
  crashes = false;
  #server: Server | undefined;

  constructor(...files: string[]) {
    this.files = files;
  }

  async start(): Promise<this> {
    const server = createServer(async (call, answer) => {
      // The object store's calls are not buffered by nginx, so one that the client breaks off ends here.
      if ((await text(call).catch(() => null)) === null) return;
      this.calls.push(`${call.method} ${call.url}`);
      this.names.push([call.headers['x-request-id'], call.headers.traceparent].map((name) => name?.toString()));
      if (this.crashes) return call.socket.destroy();
      const isMissing = /^\/(_next\/static\/|[^/]+\.\w+$)/.test(call.url ?? '') && !this.files.includes(call.url ?? '');
      answer.writeHead(isMissing ? 404 : 200).end('ok');
    });
    this.#server = server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server?.listening) await once(this.#server, 'close');
  }
}

const older = await new Upstream('/_next/static/older.js', '/older.png').start();
const newer = await new Upstream('/_next/static/newer.js', '/newer.png').start();
const [firstApi, secondApi, staff, store] = await Promise.all([1, 2, 3, 4].map(() => new Upstream().start()));
assert.ok(firstApi && secondApi && staff && store);
after(() => Promise.all([older, newer, firstApi, secondApi, staff, store].map((one) => one.stop())));
const nginx = await startNginx({
  folder,
  listening,
  behind: { web: [older, newer], api: [firstApi, secondApi], admin: [staff, staff], files: [store] },
});

interface Call {
  method?: string;
  /** The name in the Host header. */
  host?: string;
  /** The name in the TLS handshake. */
  servername?: string;
  /** The client's address. Each address is limited separately. */
  from?: string;
  agent?: Agent;
  headers?: Record<string, string>;
}

async function call(server: keyof typeof listening, path: string, { method = 'GET', agent, ...given }: Call = {}) {
  const sending = request({
    host: '127.0.0.1',
    port: listening[server],
    path,
    method,
    agent: agent ?? false,
    servername: given.servername ?? 'localhost',
    headers: { host: given.host ?? 'localhost', ...given.headers },
    localAddress: given.from ?? '127.0.0.1',
  });
  sending.end();
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** @returns the status of the rejection of a body of this length before any of it is sent, or 100. */
async function announce(server: keyof typeof listening, call: string, length: number): Promise<number | undefined> {
  const [method, path] = call.split(' ');
  const sending = request({
    host: '127.0.0.1',
    port: listening[server],
    method,
    path,
    servername: 'localhost',
    agent: false,
    headers: { host: 'localhost', 'content-length': length, expect: '100-continue' },
    localAddress: '127.0.1.1',
  }).on('error', () => {});
  sending.flushHeaders();
  const status = await Promise.race([
    once(sending, 'continue').then(() => 100),
    once(sending, 'response').then(([answer]: IncomingMessage[]) => answer?.statusCode),
  ]);
  sending.destroy();
  return status;
}

function callTogether(count: number, given: Call) {
  return Promise.all(Array.from({ length: count }, () => call('web', '/api/messages', given)));
}

describe('[OPERATE-5] the nginx example', () => {
  test('[OPERATE-5] a request for an unknown name reaches no process and gets no certificate', async () => {
    const before = [older, newer, firstApi, secondApi, staff, store].flatMap(({ calls }) => calls).length;
    for (const server of ['web', 'api', 'admin', 'files'] as const) {
      assert.equal((await call(server, '/', { host: 'unknown.example' })).status, 421, server);
      await assert.rejects(call(server, '/', { servername: 'unknown.example' }), /unrecognized name/, server);
    }
    const plain = await fetch(`http://127.0.0.1:${listening.plain}/`, { redirect: 'manual' });
    assert.deepEqual([plain.status, plain.headers.get('location')], [421, null]);
    const after = [older, newer, firstApi, secondApi, staff, store].flatMap(({ calls }) => calls).length;
    assert.equal(after, before);
    assert.equal((await call('web', '/')).status, 200, 'a known name');
  });

  test('[OPERATE-5] internal calls are answered 404 from outside, in every spelling, and reach the API from inside', async () => {
    const outside = ['/internal/notification/send', '//internal/x', '/x/../internal/x', '/%69nternal/x', '/internal%2fx'];
    for (const path of outside) assert.equal((await call('api', path, { method: 'POST' })).status, 404, path);
    const inside = `http://127.0.0.1:${listening.apiInside}/internal/notification/send`;
    assert.equal((await fetch(inside, { method: 'POST' })).status, 200);
    const reached = [firstApi, secondApi].flatMap(({ calls }) => calls.filter((one) => one.includes('internal')));
    assert.deepEqual(reached, ['POST /internal/notification/send']);
  });

  test('[EDGE-2] each location accepts bodies up to the limit of its paths', async () => {
    const MIB = 1024 * 1024;
    for (const [server, path, limit] of [
      ['web', 'POST /login', OPEN_BODY_MAX_BYTES],
      ['web', 'POST /api/auth/_log', OPEN_BODY_MAX_BYTES],
      ['web', 'POST /api/auth/callback/credentials', OPEN_BODY_MAX_BYTES],
      ['web', 'POST /api/user/auth/password-reset/request', OPEN_BODY_MAX_BYTES],
      ['web', 'PATCH /api/user/me', JSON_BODY_MAX_BYTES],
      ['web', 'POST /api/messages', MESSAGE_BODY_MAX_BYTES],
      ['web', 'POST /api/messages/7', MESSAGE_BODY_MAX_BYTES],
      ['web', 'POST /api/messages/7/notes', JSON_BODY_MAX_BYTES],
      ['api', 'POST /api/user/auth/login', OPEN_BODY_MAX_BYTES],
      ['api', 'POST /webhooks/sendgrid', MIB],
      ['api', 'POST /api/messages/7', MESSAGE_BODY_MAX_BYTES],
      ['admin', 'POST /login', OPEN_BODY_MAX_BYTES],
      ['admin', 'POST /cases/1', MIB],
      ['admin', 'POST /messages/7', ATTACHMENTS_BODY_MAX_BYTES],
      ['admin', 'POST /batches/returns', 2 * RETURN_FILE_MAX_BYTES],
      ['files', 'POST /files', 101 * MIB],
      ['files', 'PUT /files/a', 101 * MIB],
    ] as const) {
      assert.equal(await announce(server, path, limit), 100, `${server} ${path}`);
      assert.equal(await announce(server, path, limit + 1), 413, `${server} ${path}`);
    }
  });

  test('[EDGE-5] a client cannot choose its request id or trace context, and the web frontend can', async () => {
    const headers = { 'x-request-id': 'chosen-by-a-client', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await call('api', '/named', { headers });
    await fetch(`http://127.0.0.1:${listening.apiInside}/named`, { headers });
    const named = [firstApi, secondApi].flatMap(({ calls, names }) => names.filter((_, at) => calls[at]?.endsWith('/named')));
    const ids = named.map(([id]) => id);
    assert.equal(ids.filter((id) => /^[0-9a-f]{32}$/.test(id ?? '')).length, 1, String(ids));
    assert.ok(ids.includes(headers['x-request-id']));
    assert.deepEqual(new Set(named.map(([, trace]) => trace)), new Set([undefined, headers.traceparent]));
  });

  test('[OPERATE-5] sign-in is limited strictly, everything else generously, and each address separately', async () => {
    const signIn = {
      web: ['/api/auth/callback/credentials', '/api/user/auth/password-reset/request'],
      api: ['/api/user/auth/login', '/api/user/auth/verify-totp'],
      admin: ['/login', '/login/otp'],
    } as const;
    let last = 10;
    const rejected = async (server: 'web' | 'api' | 'admin', path: string, method: string, count: number) => {
      const from = `127.0.0.${++last}`;
      const answers = [];
      // One request after another, because a burst would also count requests that never got through.
      for (let at = 0; at < count; at++) answers.push(await call(server, path, { method, from }));
      return answers.filter(({ status }) => status === 429);
    };
    for (const [server, paths] of Object.entries(signIn) as ['web' | 'api' | 'admin', readonly string[]][])
      for (const path of paths) {
        const some = await rejected(server, path, 'POST', 60);
        assert.ok(some.length > 0, `${server} ${path}`);
        assert.ok(some.every(({ headers }) => headers['retry-after'] === '5'));
        assert.equal((await call(server, path, { method: 'POST', from: '127.0.0.9' })).status, 200, 'another address');
      }
    assert.equal((await rejected('admin', '/login', 'GET', 60)).length, 0, 'only sending the form counts');
    assert.equal((await rejected('web', '/messages', 'GET', 60)).length, 0, 'a page with its files');
    assert.equal((await rejected('web', '/api/messages', 'POST', 60)).length, 0, 'what people send');
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const many: Awaited<ReturnType<typeof callTogether>> = [];
    for (let time = 0; time < 20 && !many.some(({ status }) => status === 429); time++)
      many.push(...(await callTogether(200, { agent, from: '127.0.0.8' })));
    agent.destroy();
    assert.ok(many.filter(({ status }) => status === 200).length >= 200, 'a burst gets through');
    assert.ok(
      many.some(({ status }) => status === 429),
      'more than a burst is limited',
    );
    assert.ok(!nginx.errors().includes('limiting requests'), 'the error log would repeat addresses with their query');
  });

  test('[OPERATE-5, METRIC-3] no query, path, referrer, or client address reaches a log, even when a process is away', async () => {
    const secret = 'token-that-must-stay-secret';
    const headers = { referer: `https://localhost/?token=${secret}` };
    await call('web', `/password-reset/confirm?token=${secret}`, { headers });
    await firstApi.stop();
    await secondApi.stop();
    for (const path of [`/api/notifications/unsubscribe?token=${secret}`, `/api/proof/${secret}`])
      assert.equal((await call('api', path)).status, 502);
    await Promise.all([firstApi.start(), secondApi.start()]);
    await store.stop();
    assert.equal((await call('files', `/bucket/file.pdf?X-Amz-Signature=${secret}`)).status, 502);
    await store.start();
    const log = readFileSync(nginx.log, 'utf8');
    assert.match(log, /"status":502/);
    for (const one of [log, nginx.errors()]) assert.ok(!one.includes(secret), one);
    assert.doesNotMatch(log, /127\.0\.0\.9\D|password-reset/);
    assert.ok(!existsSync(nginx.defaultLog) || readFileSync(nginx.defaultLog, 'utf8') === '', 'the log of nginx.conf');
  });

  test('[OPERATE-5] a file that only the other version of the web frontend has is requested from that one', async () => {
    for (const path of ['/_next/static/older.js', '/_next/static/newer.js', '/older.png', '/newer.png'])
      for (let time = 0; time < 4; time++) assert.equal((await call('web', path)).status, 200, path);
    assert.equal((await call('web', '/_next/static/neither.js')).status, 404);
    assert.equal((await call('web', '/_next/static/neither.js', { method: 'POST' })).status, 404);
  });

  test('[OPERATE-5] while a process is away or just back, no call fails, and no message is sent twice', async () => {
    const statuses = new Set<number | undefined>();
    const callMany = async () => {
      for (let at = 0; at < 20; at++)
        for (const method of ['GET', 'POST']) statuses.add((await call('api', `/call-${at}`, { method })).status);
    };
    await firstApi.stop();
    await callMany();
    // With the default of max_fails nginx would now leave out both for ten seconds.
    await Promise.all([firstApi.start(), secondApi.stop()]);
    await callMany();
    await secondApi.start();
    await callMany();
    assert.deepEqual([...statuses], [200]);

    firstApi.crashes = true;
    secondApi.crashes = true;
    assert.equal((await call('api', '/sent', { method: 'POST' })).status, 502);
    assert.equal((await call('api', '/read')).status, 502);
    [firstApi.crashes, secondApi.crashes] = [false, false];
    const reached = [...firstApi.calls, ...secondApi.calls];
    assert.equal(reached.filter((one) => one === 'POST /sent').length, 1, 'it may have had its effect');
    assert.equal(reached.filter((one) => one === 'GET /read').length, 2, 'reading again does no harm');
  });
});
