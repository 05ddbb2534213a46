import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { limitBody } from './limit-body.ts';

async function start(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const chunked = (...pieces: string[]) =>
  ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n']
    .concat(pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`))
    .concat('0\r\n\r\n')
    .join('');

test('[EDGE-2] the last limit of a body counts, and the first who limited it answers one that is too long', async () => {
  const limits: Record<string, number> = { tight: 3, exact: 4, wide: 5 };
  for (const [name, last] of Object.entries(limits)) {
    for (const first of [0, 4, 1000]) {
      const server = await start(async (request, response) => {
        const answer = (status: number) => response.writeHead(status, { connection: 'close' }).end();
        assert.equal(
          limitBody(request, first, () => answer(413)),
          true,
        );
        assert.equal(
          limitBody(request, last, () => assert.fail('the second answers')),
          true,
        );
        const body = await buffer(request).catch(() => null);
        if (body !== null) answer(200);
      });
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(chunked('ab', 'cd'));
      assert.match(await text(socket), last < 4 ? /^HTTP\/1\.1 413 / : /^HTTP\/1\.1 200 /, `${name} after ${first}`);
    }
  }
});

test('[EDGE-2] a body that is up to a megabyte too long is read to its end, so that its sender can read the answer', async () => {
  for (const [extra, isRead] of [
    [0, true],
    [1, true],
    [900_000, true],
  ] as const) {
    const length = 1024 + extra;
    const server = await start((request, response) => {
      const fits = limitBody(request, 1024);
      assert.equal(fits, extra === 0);
      response.writeHead(fits ? 200 : 413, { connection: 'close' }).end();
    });
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
    socket.end(head + 'x'.repeat(length));
    const [peer] = await accepted;
    const closed = once(peer, 'close');
    assert.match(await text(socket), extra === 0 ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 413 /);
    await closed;
    assert.equal(peer.bytesRead >= head.length + length, isRead, `${extra} bytes too long`);
  }
});

test('[EDGE-2] a client whose body was rejected by its length has three seconds to read the answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = await start((request, response) => {
    assert.equal(limitBody(request, 10), false);
    response.writeHead(413, { connection: 'close' }).end();
  });
  const accepting = once(server, 'connection');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  after(() => socket.destroy());
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
  const [accepted] = (await accepting) as [Socket];
  assert.match(await text(socket), /^HTTP\/1\.1 413 /);
  t.mock.timers.tick(2999);
  assert.equal(accepted.destroyed, false);
  t.mock.timers.tick(1);
  assert.equal(accepted.destroyed, true);
});
