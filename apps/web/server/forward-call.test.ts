import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readSessionCookie, SESSION_MAX_AGE, sealSession, sessionCookie } from '../session/session-cookie.ts';
import type { SessionToken } from '../session/session-shapes.ts';
import { markSignedOut } from '../session/sign-out-marks.ts';
import { forwardCall, isForwarded } from './forward-call.ts';
import { endStreams } from './pass-through.ts';

/** The API's answer in the current test. */
let answer: RequestListener = () => {};
let received: IncomingMessage[] = [];
const api = await listen((request, response) => {
  received.push(request);
  answer(request, response);
});
const web = await listen(forwardCall);
Object.assign(process.env, {
  API_URL: addressOf(api),
  NEXTAUTH_URL: addressOf(web),
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
after(() => {
  for (const server of [api, web]) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  received = [];
});

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function session(part: Partial<SessionToken> = {}): SessionToken {
  return {
    sub: '1',
    name: 'Ada',
    accessToken: 'access',
    refreshToken: crypto.randomUUID(),
    accessTokenExpires: Date.now() + 3_600_000,
    refreshAt: Date.now() + 3_600_000,
    userType: 'ip',
    setup_status: { is_fully_setup: true, missing_fields: [] },
    sid: crypto.randomUUID(),
    ...part,
  };
}

async function cookieOf(token: SessionToken): Promise<{ cookie: string }> {
  return { cookie: `theme=dark; ${sessionCookie().name}=${await sealSession(token)}` };
}

test('the API’s paths are forwarded, except those of the session', () => {
  const forwarded = ['/api/messages', '/api/auth', '/api/authors', '/api/../x'].map(isForwarded);
  assert.deepEqual(forwarded, [true, true, true, true]);
  const others = ['/api', '/api/auth/session', '/messages', '/', undefined, 'http://a.test/api/x'].map(isForwarded);
  assert.deepEqual(others, [false, false, false, false, false, false]);
});

test('[WEB-3, WEB-4] a call reaches the API with its method, path, and query, and with the session’s token only', async () => {
  answer = async (request, response) => {
    response.writeHead(302, { location: '/elsewhere', 'content-type': 'text/plain', 'set-cookie': 'api_token=x' });
    response.end(`${request.method} ${request.url} ${await text(request)}`);
  };
  const response = await fetch(`${addressOf(web)}/api/disbursement%73/1?x=%2F`, {
    method: 'PATCH',
    body: 'words',
    redirect: 'manual',
    headers: { ...(await cookieOf(session())), authorization: 'Bearer stolen' },
  });
  assert.equal(response.status, 302);
  assert.equal(await response.text(), 'PATCH /api/disbursements/1?x=%2F words');
  assert.deepEqual([response.headers.get('location'), response.headers.getSetCookie()], [null, []]);
  assert.equal(received[0]?.headers.authorization, 'Bearer access');
  assert.equal(received[0]?.headers.cookie, undefined);
});

test('[WEB-2] a forged, an unknown, and an ended session are rejected', async () => {
  answer = (_request, response) => response.end();
  const ended = session();
  const cookies = [await cookieOf(ended), await cookieOf(session())];
  const [valid, other] = cookies;
  await fetch(`${addressOf(web)}/api/cases`, { headers: valid });
  markSignedOut(ended.sid, Date.now(), SESSION_MAX_AGE * 1000);
  await fetch(`${addressOf(web)}/api/cases`, { headers: valid });
  await fetch(`${addressOf(web)}/api/cases`, { headers: { cookie: `${other?.cookie}x` } });
  await fetch(`${addressOf(web)}/api/cases`);
  const tokens = received.map(({ headers }) => headers.authorization);
  assert.deepEqual(tokens, ['Bearer access', undefined, undefined, undefined]);
});

test('[WEB-6] a due token is refreshed once, for the visitor’s own address, and the new session is stored', async () => {
  answer = async (request, response) => {
    if (request.url === '/api/user/auth/refresh') {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return response.end(JSON.stringify({ access_token: 'renewed', refresh_token: 'same', expires_at }));
    }
    response.statusCode = request.url === '/api/user/me' ? 500 : 200;
    response.end();
  };
  const headers = { ...(await cookieOf(session({ refreshAt: 0 }))), 'x-forwarded-for': '203.0.113.7' };
  const responses = await Promise.all([1, 2, 3].map(() => fetch(`${addressOf(web)}/api/cases`, { headers })));
  const refreshes = received.filter(({ url }) => url === '/api/user/auth/refresh');
  assert.equal(refreshes.length, 1);
  assert.equal(refreshes[0]?.headers['x-forwarded-for'], '203.0.113.7');
  const calls = received.filter(({ url }) => url === '/api/cases');
  assert.deepEqual(new Set(calls.map((call) => call.headers.authorization)), new Set(['Bearer renewed']));
  for (const response of responses) {
    const cookie = response.headers.getSetCookie().join();
    assert.match(cookie, /^next-auth\.session-token=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
  }
});

test('[WEB-6, WEB-7] a token that cannot be renewed is an outage, and a rejected one leaves no credentials', async () => {
  const call = async (status: number) => {
    answer = (request, response) => {
      response.statusCode = request.url === '/api/user/auth/refresh' ? status : 401;
      response.end('{}');
    };
    received = [];
    const headers = await cookieOf(session({ refreshAt: 0, accessTokenExpires: 0 }));
    const response = await fetch(`${addressOf(web)}/api/cases`, { headers });
    const [cookie = ''] = response.headers.getSetCookie();
    const value = cookie.split(';')[0]?.split('=')[1] ?? '';
    const stored = await readSessionCookie({ get: () => ({ value }) });
    const calls = received.map(({ url, headers: { authorization } }) => `${url} ${authorization}`);
    return [response.status, response.headers.get('retry-after'), stored?.tokenError, ...calls];
  };
  const refresh = '/api/user/auth/refresh undefined';
  assert.deepEqual(await call(503), [503, '10', undefined, refresh]);
  assert.deepEqual(await call(401), [401, null, 'RefreshFailed', refresh, '/api/cases undefined']);
});

test('[WEB-11] a person who signs out while the API answers is not signed in again by that answer', async () => {
  const cookiesOf = async (signsOut: boolean) => {
    const token = session({ refreshAt: 0 });
    answer = (request, response) => {
      if (request.url === '/api/user/auth/refresh') {
        const expires_at = new Date(Date.now() + 3_600_000).toISOString();
        return response.end(JSON.stringify({ access_token: 'new', refresh_token: 'same', expires_at }));
      }
      if (signsOut && request.url === '/api/cases') markSignedOut(token.sid, Date.now(), SESSION_MAX_AGE * 1000);
      response.statusCode = request.url === '/api/user/me' ? 500 : 200;
      response.end();
    };
    const response = await fetch(`${addressOf(web)}/api/cases`, { headers: await cookieOf(token) });
    return response.headers.getSetCookie().length;
  };
  assert.equal(await cookiesOf(false), 1, 'a person who stays gets the renewed session');
  assert.equal(await cookiesOf(true), 0);
});

test('an event stream is forwarded at once and ends when its reader signs out', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  };
  const token = session();
  const headers = { ...(await cookieOf(token)), accept: 'text/event-stream' };
  const response = await fetch(`${addressOf(web)}/api/messages/events`, { headers });
  const closed = once(received[0]?.socket ?? process, 'close');
  markSignedOut(token.sid, Date.now(), SESSION_MAX_AGE * 1000);
  await assert.rejects(response.text());
  await closed;
});

test('a call that the browser cancels ends at the API too, and is not logged as an outage', async (t) => {
  const logged = t.mock.method(process.stderr, 'write', () => true);
  const leaving = new AbortController();
  let closed: Promise<unknown> = Promise.resolve();
  answer = (request) => {
    closed = once(request.socket, 'close');
    leaving.abort();
  };
  await assert.rejects(fetch(`${addressOf(web)}/api/cases`, { signal: leaving.signal }));
  await closed;
  assert.equal(logged.mock.callCount(), 0);
});

test('large bodies are forwarded in both directions, with or without a content length', async () => {
  answer = (request, response) => request.pipe(response);
  const content = Buffer.alloc(3_000_000, 'case');
  for (const length of [{ 'content-length': content.length }, {}]) {
    const request = httpRequest(`${addressOf(web)}/api/messages`, { method: 'POST', headers: length });
    request.end(content);
    const [response]: IncomingMessage[] = await once(request, 'response');
    assert.ok(response && content.equals(await buffer(response)));
  }
});

test('a rejection before the end of the body reaches the browser, which may send the rest', async () => {
  answer = (_request, response) => response.writeHead(413, { connection: 'close' }).end('too large');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = httpRequest(`${addressOf(web)}/api/messages`, { method: 'POST', agent });
  request.write(Buffer.alloc(100_000));
  const [response]: IncomingMessage[] = await once(request, 'response');
  assert.equal(response?.statusCode, 413);
  assert.equal(response && (await text(response)), 'too large');
  request.write(Buffer.alloc(1_000_000));
  request.end(Buffer.alloc(1_000_000));
  await once(request, 'close');
  assert.equal(request.errored, null);
  // The unread rest of the body does not disturb the next call on the same connection.
  answer = (_request, response) => response.end('read');
  const next = httpRequest(`${addressOf(web)}/api/messages`, { agent }).end();
  const [read]: IncomingMessage[] = await once(next, 'response');
  assert.equal(read && (await text(read)), 'read');
  assert.ok(next.reusedSocket);
  agent.destroy();
});

test('the rest of a body is read when the API has answered while its own buffers were full', async () => {
  answer = async (request, response) => {
    // The API reads nothing, so both connections fill up.
    for (let seen = -1; seen < request.socket.bytesRead; await setTimeout(50)) seen = request.socket.bytesRead;
    response.writeHead(401).end('no');
  };
  const request = httpRequest(`${addressOf(web)}/api/messages`, { method: 'POST' });
  request.end(Buffer.alloc(40_000_000));
  const [response]: IncomingMessage[] = await once(request, 'response');
  assert.equal(response?.statusCode, 401);
  response?.resume();
  await once(request, 'finish');
});

test('the rest of a body is read when the API cannot be reached', async () => {
  const { API_URL } = process.env;
  const closed = await listen(() => {});
  process.env.API_URL = addressOf(closed);
  closed.close();
  await once(closed, 'close');
  const request = httpRequest(`${addressOf(web)}/api/messages`, { method: 'POST' });
  request.end(Buffer.alloc(40_000_000));
  const [response]: IncomingMessage[] = await once(request, 'response');
  process.env.API_URL = API_URL;
  assert.equal(response?.statusCode, 503);
  response?.resume();
  await once(request, 'finish');
});

test('the browser gets the answer after the hints that came before it', async () => {
  answer = (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.end('answered');
  };
  const response = await fetch(`${addressOf(web)}/api/cases`);
  assert.deepEqual([response.status, await response.text()], [200, 'answered']);
});

test('on an idle connection that the API has closed, a read is repeated and a change is not', async () => {
  answer = (request, response) => {
    if (received.some((one) => one !== request && one.socket === request.socket)) return request.socket.destroy();
    response.end('answered');
  };
  const call = async (method: string) => {
    const response = await fetch(`${addressOf(web)}/api/messages`, { method });
    return { status: response.status, body: await response.text() };
  };
  assert.deepEqual(await call('GET'), { status: 200, body: 'answered' });
  assert.deepEqual(await call('GET'), { status: 200, body: 'answered' });
  // Another connection than before may answer the first change.
  for (let status = 200; status === 200; ) {
    const before = received.length;
    ({ status } = await call('POST'));
    assert.equal(received.length, before + 1);
    if (status !== 200) assert.equal(status, 503);
  }
});

test('an API that does not answer is an outage with a logged reason, and a broken answer is not complete', async (t) => {
  answer = (request) => request.socket.destroy();
  const logged = t.mock.method(process.stderr, 'write', () => true);
  const silent = await fetch(`${addressOf(web)}/api/messages`, { method: 'POST' });
  assert.match(String(logged.mock.calls[0]?.arguments[0]), /"code":"unavailable","reason":"(UND_ERR_SOCKET|ECONNRESET)"/);
  logged.mock.restore();
  assert.deepEqual([silent.status, silent.headers.get('retry-after')], [503, '10']);
  assert.equal(((await silent.json()) as { code: string }).code, 'unavailable');
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  const broken = await fetch(`${addressOf(web)}/api/messages`, { method: 'POST' });
  await assert.rejects(broken.text());
});

test('[WEB-4, WEB-12] calls that are not listed, and those of other sites and other people’s pages, are rejected here', async () => {
  const call = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(addressOf(web) + path, { method, headers }).then((response) => response.status);
  assert.equal(await call('PROPFIND', '/api/cases'), 405);
  assert.equal(await call('OPTIONS', '/api/cases'), 405);
  assert.equal(await call('DELETE', '/api/cases'), 405);
  assert.equal(await call('POST', '/api/messages', { origin: 'https://evil.test' }), 403);
  assert.equal(await call('POST', '/api/user/auth/login'), 404);
  assert.equal(await call('POST', '/api/user/auth/%6cogin'), 404);
  assert.equal(await call('GET', '/api/nothing'), 404);
  const other = { ...(await cookieOf(session({ sub: '1' }))), 'x-reader': '2' };
  for (const method of ['GET', 'POST']) assert.equal(await call(method, '/api/messages', other), 409);
  assert.equal(received.length, 0);
});

test('[ERROR-1] a rejection here has all fields of an API problem and names the allowed methods', async () => {
  const refused = await fetch(`${addressOf(web)}/api/messages/recipients`, { method: 'POST' });
  assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
  const { request_id, ...problem } = (await refused.json()) as Record<string, unknown>;
  const message = 'You can’t do this here.';
  const names = { type: 'about:blank', title: 'Method Not Allowed', status: 405, code: 'method_not_allowed' };
  assert.deepEqual(problem, { ...names, detail: message, message });
  assert.match(String(request_id), /^[\w-]{36}$/);
  answer = (_request, response) => response.writeHead(405, { allow: 'GET, HEAD' }).end('{}');
  const passedBack = await fetch(`${addressOf(web)}/api/cases`);
  assert.deepEqual([passedBack.status, passedBack.headers.get('allow')], [405, 'GET, HEAD']);
});

test('[EDGE-5] a call names its visitor’s address and proves that the web server says so', async () => {
  answer = (_request, response) => response.end('{}');
  process.env.FORWARDING_SECRET = 'a secret of these tests';
  const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarding-secret': 'forged', 'user-agent': 'A browser' };
  await fetch(`${addressOf(web)}/api/cases`, { headers });
  delete process.env.FORWARDING_SECRET;
  await fetch(`${addressOf(web)}/api/cases`, { headers });
  const sent = received.map((call) => ['x-forwarded-for', 'x-forwarding-secret', 'user-agent'].map((name) => call.headers[name]));
  assert.deepEqual(sent, [
    ['203.0.113.7', 'a secret of these tests', 'A browser'],
    ['203.0.113.7', undefined, 'A browser'],
  ]);
});

/** This must be the last test, because no stream can begin after it. */
test('[PROCESS-1] when the process ends, event streams end cleanly, and so do their calls to the API', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': first\n\n');
  };
  const open = () => fetch(`${addressOf(web)}/api/messages/events`, { headers: { accept: 'text/event-stream' } });
  const before = await open();
  const closed = once(received[0]?.socket ?? process, 'close');
  endStreams();
  const after = await open();
  for (const stream of [before, after]) assert.match(await stream.text(), /^(: first\n\n)?$/);
  await closed;
});
