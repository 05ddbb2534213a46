import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createLimitedServer } from './limited-server.ts';

const MIB = 1024 * 1024;

test('[FILE-5] bodies that were read or dropped do not gather in memory', async (t) => {
  const waiting: number[] = [];
  const server = createLimitedServer(
    (request, response) => {
      waiting.push(process.memoryUsage().arrayBuffers / MIB);
      // Every second body is refused before it is read, and then dropped.
      if (request.url === '/read') request.resume().once('end', () => response.end());
      else response.writeHead(429).end();
    },
    { bodyMaxBytes: () => 4 * MIB },
  ).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const body = Buffer.alloc(4 * MIB);
  const before = process.memoryUsage().arrayBuffers / MIB;
  const send = async (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    return text(socket);
  };
  for (let at = 0; at < 60; at++) {
    const path = at % 2 === 0 ? '/read' : '/refused';
    assert.match(await send(path), path === '/read' ? /^HTTP\/1.1 200/ : /^HTTP\/1.1 429/);
  }
  const most = Math.round(Math.max(...waiting) - before);
  assert.ok(most < 32, `${most} MiB of buffers were waiting`);
});
