import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { createDice, METHODS, say } from '../support/hostile/odd-requests.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';

const { webUrl, apiUrl, pool } = await useRealStack(['admin', 'worker']);
const login = await fetch(`${apiUrl}/api/user/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    email_address: 'parent@demo.test',
    user_type: 'intended_parent',
    pass_hash: 'Demo-Passw0rd!',
  }),
});
const { access_token } = (await login.json()) as { access_token: string };

const PATHS = [
  '/',
  '/login',
  '/messages',
  '/messages/1',
  '/messages/%00',
  '/messages/%ff',
  '/messages/%',
  '/cases/1',
  '/cases/é',
  '/disbursements/9e99',
  '/disbursements/new?case_id=%00',
  '/password-reset/confirm?token=%00',
  '/settings',
  '/profile',
  '/nowhere',
  '//',
  '//evil.test/x',
  '/..%2f..%2fetc/passwd',
  '/%5c%5cevil',
  `/${'x'.repeat(3000)}`,
  '/health/ready',
  '/sw.js',
  '/_next/image?url=http%3A%2F%2Fevil.test%2Fa.png&w=64&q=1',
  '/_next/image?url=%2Fx&w=1',
  '/_next/image',
  '/_next/data/x/y.json',
  '/_next/static/../../main.ts',
  '/_next/static/chunks/%00',
  '/favicon.ico',
  '/icon-192.png',
  '/manifest.webmanifest',
  '/_next/',
  '/?_rsc=x',
  '/messages?_rsc=%ff',
  '/api/cases',
  '/api/messages?cursor=%00',
  '/api/%2e%2e/internal',
  '/api/',
  '/api/auth/session',
  '/api/auth/csrf',
  '/api/auth/callback/credentials',
  '/api/auth/signin/credentials',
  '/api/auth/signout',
  '/api/auth/error?error=%00',
  '/api/auth/_log',
  '/api/auth/callback/none',
  '/api/auth/signin/none',
  '/api/auth/',
  '/api/auth/..%2f..',
  '/api/auth/session/x',
  '*',
  'x',
];
const HEADERS = [
  'X-A: \xff',
  'Accept: \x01',
  'Accept: text/x-component',
  'RSC: 1',
  'RSC: 1\r\nNext-Router-State-Tree: %',
  'Next-Router-Prefetch: 1',
  'Next-Router-State-Tree: %5B%22',
  'RSC: 1\r\nNext-Router-State-Tree: %5B%22%22%5D',
  `Next-Action: ${'a'.repeat(40)}`,
  'Next-Action: x',
  'Next-Url: %',
  'Cookie: =;;a',
  'Cookie: next-auth.session-token=%',
  'Cookie: next-auth.session-token=a.b.c.d.e',
  'Cookie: next-auth.csrf-token=%7C',
  `Cookie: a=${'x'.repeat(9000)}`,
  `X-Long: ${'x'.repeat(20_000)}`,
  'Cookie: next-auth.callback-url=javascript:1',
  'X-Middleware-Subrequest: proxy',
  'X-Forwarded-Host: a b',
  'X-Forwarded-Proto: x',
  'X-Forwarded-For: ,,x',
  'Origin: null',
  'Range: bytes=9-1',
  'If-None-Match: *',
  'Expect: 100-continue',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Content-Encoding: gzip',
  'X-Nextjs-Data: 1',
  'X-Invoke-Path: /x',
  'X-Matched-Path: /x',
  'Purpose: prefetch',
];
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=b',
  'text/plain',
  ';',
];
const BODIES = [
  '',
  '{',
  'null',
  '[]',
  '{"__proto__":1}',
  'csrfToken=x&json=true',
  'a=%&b',
  '["$F1"]',
  '--b\r\n\r\n',
  '\xff\xfe',
  '[0,"$K1"]',
  `--b\r\nContent-Disposition: form-data; name="$ACTION_ID_${'a'.repeat(40)}"\r\n\r\n\r\n--b--`,
  '['.repeat(20_000),
  'x=1&'.repeat(5000),
];

const LISTENING = '0A';

/**
 * Returns the ports of the clients whose connections the web frontend keeps open, as Linux lists them (empty without `/proc`).
 * A connection that the server has not accepted yet is left out.
 */
async function listCallers(): Promise<string[]> {
  const port = toHex(Number(new URL(webUrl).port));
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => ''));
  return (await Promise.all(tables))
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state, , , , , , inode]) => local?.endsWith(`:${port}`) && state !== LISTENING && inode !== '0')
    .map(([, , caller]) => caller?.split(':').at(-1) ?? '');
}

const toHex = (port: number | undefined) => (port ?? 0).toString(16).toUpperCase().padStart(4, '0');

test('[EDGE-1] odd requests keep no socket: upgrades, tunnels, and clients that send a part and leave', {
  timeout: 120_000,
}, async () => {
  const before = await listCallers();
  const socket = connect(Number(new URL(webUrl).port), 'localhost');
  await once(socket, 'connect');
  const caller = toHex(socket.localPort);
  if (process.platform === 'linux')
    await eventually('an open connection is listed', async () => (await listCallers()).includes(caller));
  socket.destroy();
  const close = ['Host: a', 'Connection: close'];
  const upgrade = ['Host: a', 'Connection: Upgrade, close', 'Upgrade: websocket'];
  const post = ['POST /api/messages HTTP/1.1', ...close, 'Content-Type: application/json'];
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => [
      say(webUrl, ['GET /health/live HTTP/1.1', ...upgrade]),
      say(webUrl, ['GET /api/cases HTTP/1.1', ...upgrade]),
      say(webUrl, ['GET /login HTTP/1.1', ...upgrade]),
      say(webUrl, ['CONNECT a.test:443 HTTP/1.1', 'Host: a.test:443']),
      say(webUrl, [...post, 'Content-Length: 2'], `{}${'x'.repeat(100_000)}`),
      say(webUrl, [...post, 'Content-Length: 1000'], '{', { leaves: true }),
      say(webUrl, [...post, 'Transfer-Encoding: chunked'], '5\r\n{', { leaves: true }),
    ]).flat(),
  );
  assert.deepEqual(
    answers.filter(({ status }) => !(status < 500)).map(({ heard }) => heard),
    [],
    'every answer is below 500',
  );
  await eventually('they are closed', async () => (await listCallers()).length <= before.length, 60_000);
});

test('[ERROR-3] the path that a login is sent to answers OPTIONS with 204 and every other method with 405', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const { status } = await fetch(`${webUrl}/api/auth/callback/credentials`, { method, redirect: 'manual' });
    assert.equal(status, method === 'OPTIONS' ? 204 : 405, method);
  }
});

test('[ERROR-5] any request to the web frontend gets an answer below 500, and the server stays ready', {
  timeout: 120_000,
}, async () => {
  const roll = createDice(12);
  const pick = (from: readonly string[]) => from[roll(from.length)] ?? '';
  const credential = `Cookie: api_token=${access_token}`;
  for (let n = 0; n < 500; n++) {
    const body = pick(BODIES);
    const said = [
      `${pick(METHODS)} ${pick(PATHS)} HTTP/1.1`,
      'Host: a',
      'Connection: close',
      ...(roll(3) === 0 ? [credential] : []),
      pick(HEADERS),
      `Content-Type: ${pick(TYPES)}`,
      `Content-Length: ${body.length}`,
    ];
    const { status } = await say(webUrl, said, body);
    assert.ok(status < 500, `${n}: ${JSON.stringify([said.map((line) => line.slice(0, 200)), body.slice(0, 100), status])}`);
  }
  assert.equal((await fetch(`${webUrl}/health/ready`)).status, 200);
  assert.equal((await fetch(`${webUrl}/login`)).status, 200);
  assert.equal((await pool.query('select 1')).rowCount, 1);
});
