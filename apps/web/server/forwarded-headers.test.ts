import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visitorIn } from '../api/visitor.ts';
import type { SessionToken } from '../session/session-shapes.ts';
import { apiTarget, hasOtherReader, isSameOrigin, requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const API = 'http://api.test:4000';
const OWN = 'https://app.test';
const ownOrigin = () => OWN;

test('[WEB-4] browser calls are forwarded with the same path and query', () => {
  const target = apiTarget(API, '/api/messages', '?limit=5&cursor=a%2Bb#c');
  assert.deepEqual(target, { origin: API, path: '/api/messages?limit=5&cursor=a%2Bb%23c' });
  assert.equal(apiTarget(`${API}/base`, '/api/cases', '').path, '/base/api/cases');
  assert.equal(apiTarget(`${API}/base/`, '/api/cases', '?q=a').path, '/base/api/cases?q=a');
  // Every character of a query reaches the API as `URL` would write it.
  for (let code = 0x21; code < 0x7f; code++) {
    const search = `?q=${String.fromCharCode(code)}`;
    const url = new URL(API);
    url.search = search;
    assert.equal(apiTarget(API, '/', search).path, `/${url.search}`, search);
  }
});

test('[WEB-3, WEB-4] the session’s token is the only credential that reaches the API', () => {
  const headers = requestHeaders(
    {
      cookie: 'api_token=stolen',
      authorization: 'Bearer stolen',
      'x-api-key': 'key',
      'x-master-api-key': 'key',
      'x-forwarded-for': '1.2.3.4',
      forwarded: 'for=1.2.3.4',
      connection: 'keep-alive',
      'content-type': 'multipart/form-data; boundary=x',
      'idempotency-key': 'once',
      'last-event-id': '7',
    },
    { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'A browser' },
    { accessToken: 'token', sid: 'a sign-in' } as SessionToken,
  );
  assert.deepEqual(headers, {
    'x-forwarded-for': '203.0.113.7',
    'user-agent': 'A browser',
    'accept-encoding': 'identity',
    authorization: 'Bearer token',
    'x-web-session': 'a sign-in',
    'content-type': 'multipart/form-data; boundary=x',
    'idempotency-key': 'once',
    'last-event-id': '7',
  });
  assert.equal('authorization' in requestHeaders({ authorization: 'Bearer stolen' }, {}, undefined), false);
});

test('no cookie of the API reaches the browser, and answers are neither stored nor framed', () => {
  const headers = responseHeaders({
    'set-cookie': ['api_token=x'],
    'content-type': 'text/event-stream',
    'retry-after': '3',
    'x-frame-options': 'SAMEORIGIN',
  });
  assert.deepEqual(headers, {
    'cache-control': 'private, no-store',
    'content-type': 'text/event-stream',
    'retry-after': '3',
    ...SECURITY_HEADERS,
  });
  assert.equal(responseHeaders({ 'cache-control': 'no-store' })['cache-control'], 'no-store');
});

test('[WEB-4] exactly these headers pass in each direction, and every answer has exactly these of its own', () => {
  const own: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  };
  assert.deepEqual(SECURITY_HEADERS, own);
  const asked = 'accept accept-language content-type content-length idempotency-key if-none-match last-event-id'.split(' ');
  const answered = `allow cache-control content-disposition content-language content-length content-type etag retry-after
    x-accel-buffering x-request-id`.split(/\s+/);
  const others = 'cookie set-cookie authorization host connection upgrade server transfer-encoding x-api-key range'.split(' ');
  const sent = Object.fromEntries([...asked, ...answered, ...others].map((name) => [name, `its ${name}`]));
  const passed = (headers: Record<string, string>) => Object.keys(headers).filter((name) => headers[name] === sent[name]);
  assert.deepEqual(passed(requestHeaders(sent, {}, undefined)).sort(), asked.sort());
  assert.deepEqual(passed(responseHeaders(sent)).sort(), answered.sort());
});

test('[EDGE-5, METRIC-4] the API learns the address, browser, language, visit, and trace of a visitor, and nothing else', () => {
  const names = ['x-forwarded-for', 'user-agent', 'accept-language', 'x-visit-id', 'x-request-id', 'traceparent'];
  const settings = { API_URL: API, NEXTAUTH_URL: OWN, NEXTAUTH_SECRET: 'x', FORWARDING_SECRET: '' };
  Object.assign(process.env, settings);
  assert.deepEqual(visitorIn({ get: (name) => name }), Object.fromEntries(names.map((name) => [name, name])));
  assert.deepEqual(visitorIn({ get: (name) => (name === 'x-visit-id' ? 'v' : null) }), { 'x-visit-id': 'v' });
});

test('requests from other sites cannot change anything with only the cookie', () => {
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://other.app.test' },
    { origin: 'https://evil.test', host: 'app.test' },
    { origin: 'null', host: 'app.test' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test', host: 'app.test' },
  ];
  for (const headers of refused) assert.equal(isSameOrigin('POST', new Headers(headers), ownOrigin), false);
  const admitted: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin', origin: OWN },
    { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' },
    {},
  ];
  for (const headers of admitted) assert.equal(isSameOrigin('POST', new Headers(headers), ownOrigin), true);
  assert.equal(isSameOrigin('GET', new Headers({ 'sec-fetch-site': 'cross-site' }), ownOrigin), true);
});

test('[WEB-12] only a call that names another reader than the session’s person is rejected', () => {
  const of = (reader: string | null) => ({ get: (name: string) => (name === 'x-reader' ? reader : null) });
  const refused = ['1', '2', '', '1, 2', null].map((reader) => hasOtherReader(of(reader), { sub: '1' }));
  assert.deepEqual(refused, [false, true, true, true, false]);
  assert.equal(hasOtherReader(of('1'), null), false, 'without a session the API answers');
});
