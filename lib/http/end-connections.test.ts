import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { CONNECTION_LIMITS, createLimitedServer } from './limited-server.ts';

const agent = new Agent({ keepAlive: true });
after(() => agent.destroy());

async function start(listener: RequestListener, endMs = CONNECTION_LIMITS.endMs, onCut = refuseToCut) {
  const server = createLimitedServer(listener, {
    bodyMaxBytes: () => 8 * 1024 ** 2,
    limits: { ...CONNECTION_LIMITS, endMs },
    onCut,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

function refuseToCut(connections: number): void {
  assert.fail(`${connections} connections were cut off`);
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const close = (server: Server) => new Promise<unknown>((resolve) => server.close(resolve));

function post(server: Server) {
  return httpRequest({ port: portOf(server), host: '127.0.0.1', method: 'POST', agent });
}

/** The head of an answer, and its body once it has ended. */
async function answerTo(request: ReturnType<typeof post>): Promise<{ head: IncomingMessage; body: Buffer }> {
  const [head] = (await once(request, 'response')) as [IncomingMessage];
  return { head, body: await buffer(head) };
}

async function dial(server: Server, said = ''): Promise<Socket> {
  const socket = connect({ port: portOf(server), host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(said);
  after(() => socket.destroy());
  return socket;
}

test('[PROCESS-1] an upload that is under way when a server closes is completed, and its connection ends with the answer', async () => {
  const begun = Promise.withResolvers<void>();
  const server = await start(async (request, response) => {
    begun.resolve();
    response.end(await buffer(request));
  });
  const upload = post(server);
  upload.write('half ');
  await begun.promise;
  const closed = close(server);
  upload.end('and half');
  const { head, body } = await answerTo(upload);
  assert.deepEqual([String(body), head.headers.connection], ['half and half', 'close']);
  await closed;
});

test('[PROCESS-1] a connection that was to be kept alive ends with the answer when a server closes', async () => {
  const [gate, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = await start(async (_request, response) => {
    response.write('first, ');
    gate.resolve();
    await going.promise;
    response.end('last');
  });
  const answer = answerTo(post(server).end());
  await gate.promise;
  const closed = close(server);
  going.resolve();
  const { head, body } = await answer;
  assert.deepEqual([String(body), head.headers.connection], ['first, last', 'keep-alive']);
  await closed;
});

test('[PROCESS-1] idle connections end when a server closes, including those without any request', async () => {
  const server = await start((_request, response) => response.end('answered'));
  const [idle, silent] = [await dial(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), await dial(server)];
  await once(idle, 'data');
  const closed = close(server);
  for (const socket of [idle, silent]) assert.equal(await text(socket), '');
  await closed;
});

test('[PROCESS-1] an answer that is written but not sent yet arrives whole', async () => {
  const content = Buffer.alloc(24 * 1024 ** 2, 'case');
  const written = Promise.withResolvers<void>();
  const server = await start((_request, response) => {
    response.end(content);
    written.resolve();
  });
  const request = post(server).end();
  await written.promise;
  const closed = close(server);
  assert.ok((await answerTo(request)).body.equals(content));
  await closed;
});

test('[EDGE-2] a rejection that comes before the whole body reaches the client, also from a server that closes', async () => {
  const server = await start((_request, response) => response.writeHead(413).end('too large'));
  const upload = post(server);
  upload.write('some');
  const [head] = (await once(upload, 'response')) as [IncomingMessage];
  const closed = close(server);
  upload.end(Buffer.alloc(4 * 1024 ** 2));
  assert.equal(await text(head), 'too large');
  await once(upload, 'close');
  assert.equal(upload.errored, null);
  await closed;
});

test('[PROCESS-1] connections that do not end in time are cut off and counted', async () => {
  const cut: number[] = [];
  const server = await start(
    (_request, response) => void response.write('and so on'),
    10,
    (connections) => cut.push(connections),
  );
  const request = post(server).end();
  const [head] = (await once(request, 'response')) as [IncomingMessage];
  const broken = assert.rejects(text(head));
  await close(server);
  await broken;
  assert.deepEqual(cut, [1]);
});
