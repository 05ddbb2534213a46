import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startInternalServer } from '@case-platform/lib/metrics/internal-server';
import { createMetrics } from '@case-platform/lib/metrics/metrics';
import { MESSAGE_BODY_MAX_BYTES, RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import { ATTACHMENTS_BODY_MAX_BYTES } from '../../apps/admin/form/read-form.ts';
import { processesOf } from '../start/start-process.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';

const MIB = 1024 * 1024;
const BODY_BYTES = 150 * MIB;
/** Allows for the socket buffers of both sides and for the megabyte that a server discards before it closes the connection. */
const SENT_BEYOND_MOST = 24 * MIB;
/** The most that a server may grow while eight such bodies are sent at once. */
const GROWTH_MOST = 64 * MIB;

const stack = await useRealStack();
const internal = await startInternalServer({
  host: '127.0.0.1',
  port: 0,
  setting: 'API_INTERNAL_PORT',
  metrics: createMetrics(),
  metricsToken: 'a token',
  ready: async () => {},
});
after(internal.stop);

/** For each server, paths of every kind: open and closed, with a body, without one, with files, and unknown. */
const PATHS: readonly [server: string, url: string, paths: readonly string[]][] = [
  [
    'web',
    stack.webUrl,
    [
      'POST /api/auth/_log',
      'POST /api/auth/callback/credentials',
      'POST /api/auth/signin/credentials',
      'POST /api/auth/signout',
      'POST /api/auth/session',
      'POST /api/auth/code',
      'DELETE /api/auth/code',
      'GET /api/auth/session',
      'POST /login',
      'GET /login',
      'POST /messages/1',
      'PUT /nothing',
      'POST /_next/image',
      'POST /sw.js',
      'POST /health/live',
      'POST /api/messages',
      'POST /api/messages/1',
      'PATCH /api/user/me',
      'POST /api/user/auth/password-reset/request',
      'GET /api/cases',
      'POST /api/nothing',
    ],
  ],
  [
    'api',
    stack.apiUrl,
    [
      'POST /api/user/auth/login',
      'POST /api/messages',
      'POST /api/messages/1',
      'PATCH /api/user/me',
      'GET /api/cases',
      'POST /webhook',
      'POST /webhooks/sendgrid',
      'POST /webhooks/twilio',
      'POST /api/notifications/unsubscribe?token=x',
      'POST /internal/notification/send',
      'GET /openapi.json',
      'POST /health/live',
      'POST /nothing',
      'POST /%',
    ],
  ],
  [
    'admin',
    stack.adminUrl,
    [
      'POST /login',
      'POST /login/otp',
      'POST /logout',
      'POST /messages',
      'POST /messages/1',
      'POST /batches/returns',
      'POST /cases',
      'GET /login',
      'POST /health/ready',
      'POST /nothing',
      'POST /%',
    ],
  ],
  ['internal', `http://127.0.0.1:${internal.port}`, ['GET /metrics', 'POST /health/live', 'POST /nothing']],
];

const FILES: Readonly<Record<string, number>> = {
  'web POST /api/messages': MESSAGE_BODY_MAX_BYTES,
  'web POST /api/messages/1': MESSAGE_BODY_MAX_BYTES,
  'api POST /api/messages': MESSAGE_BODY_MAX_BYTES,
  'api POST /api/messages/1': MESSAGE_BODY_MAX_BYTES,
  'admin POST /batches/returns': 2 * RETURN_FILE_MAX_BYTES,
  'admin POST /messages': ATTACHMENTS_BODY_MAX_BYTES,
  'admin POST /messages/1': ATTACHMENTS_BODY_MAX_BYTES,
};

/** Sends a body for as long as the server reads it. */
function pour(url: string, request: string, isChunked: boolean): Promise<{ status: number; sent: number }> {
  const { port, hostname } = new URL(url);
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
  const piece = isChunked ? `10000\r\n${'x'.repeat(0x10000)}\r\n` : 'x'.repeat(0x10000);
  const socket = connect({ port: Number(port), host: hostname });
  let [heard, sent] = ['', 0];
  const send = () => {
    while (sent < BODY_BYTES && socket.writable) {
      sent += 0x10000;
      if (!socket.write(piece)) return;
    }
  };
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
    });
    socket.on('drain', send);
    socket.on('close', () => resolve({ status: Number(heard.slice(9, 12)), sent }));
    socket.write(`${request} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n${length}\r\n\r\n`);
    send();
  });
}

async function answerOnce(url: string, call: string): Promise<void> {
  const [method, path] = call.split(' ');
  await (await fetch(url + path, { ...(method === undefined ? {} : { method }), redirect: 'manual' })).text();
}

/** @returns null for a server of this test's own process. */
async function memoryOf(server: string): Promise<number | null> {
  const [pid] = await processesOf(stack.dataDir, join('apps', server, 'main.ts'));
  if (pid === undefined) return null;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

for (const [server, url, paths] of PATHS) {
  describe(`[EDGE-2] the ${server} server`, () => {
    test('rejects a body of 150 MB early and with little memory, on any path', { timeout: 120_000 }, async () => {
      const calls = paths.flatMap((path) => [false, true].map((isChunked) => ({ path, isChunked })));
      // The first answer of a path loads code, which must not count as growth caused by the bodies.
      for (const path of paths) await answerOnce(url, path);
      const before = await memoryOf(server);
      const accepted: string[] = [];
      // Rejected connections stay open for a while so that clients can read the answer, so eight are tried at a time.
      const senders = Array.from({ length: 8 }, async () => {
        for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
          const { path, isChunked } = call;
          const { status, sent } = await pour(url, path, isChunked);
          // A path for files reads up to its limit, unless the request announces more.
          const limit = isChunked ? (FILES[`${server} ${path}`] ?? 0) : 0;
          // A path that reads no body may have answered before the body was too long.
          const isExpected = isChunked ? status >= 200 && status < 500 : status === 413;
          if (!isExpected || sent > limit + SENT_BEYOND_MOST) accepted.push(`${path} ${isChunked}: ${status} after ${sent}`);
        }
      });
      await Promise.all(senders);
      assert.deepEqual(accepted, []);
      const grown = ((await memoryOf(server)) ?? 0) - (before ?? 0);
      assert.ok(before === null || grown <= GROWTH_MOST, `${server} has grown by ${Math.round(grown / MIB)} MiB`);
    });
  });
}
