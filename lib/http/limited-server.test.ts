import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, METHODS, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { CONNECTION_LIMITS, createLimitedServer } from './limited-server.ts';

/** For connections that are to be cut off. Those that are to be answered have the usual limits, which no busy machine reaches. */
const SHORT_HEADER = { ...CONNECTION_LIMITS, headerMs: 300 };
const SHORT_BODY = { ...CONNECTION_LIMITS, bodySilentMs: 600 };
const BODY_MAX_BYTES = 2 * 1024 * 1024;
const echo: RequestListener = (request, response) => void request.pipe(response);

async function start(listener: RequestListener, limits = CONNECTION_LIMITS): Promise<Server> {
  const server = createLimitedServer(listener, { limits, bodyMaxBytes: () => BODY_MAX_BYTES }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

/** A connection whose own side stays open whatever the server does, and everything that the server sends on it. */
function dial(server: Server, ...pieces: string[]): { socket: Socket; received: Promise<string> } {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  for (const words of pieces) socket.write(words);
  after(() => socket.destroy());
  return { socket, received: text(socket).catch(() => 'reset') };
}

const post = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const countOpen = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))));

const NOT_ALLOWED = ['This method is not known here.', 'method_not_allowed'] as const;

/** Waits until the server has no open connections. */
async function untilNoneIsOpen(server: Server): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (let open = await countOpen(server); open > 0; open = await countOpen(server)) {
    assert.ok(Date.now() < deadline, `${open} connections are still open`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('[EDGE-1] a header has 15 seconds, a body that does not move 30, and a connection that is closing 8', () => {
  assert.deepEqual(CONNECTION_LIMITS, { headerMs: 15_000, bodySilentMs: 30_000, endMs: 8000 });
});

test('[EDGE-1] each wait of a server has its own limit, and none of its timers keeps a process alive or survives it', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const timers = countTimers();
  const server = createLimitedServer(echo, { bodyMaxBytes: () => 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = server;
  assert.deepEqual(
    { headersTimeout, requestTimeout, timeout, keepAliveTimeout },
    { headersTimeout: 15_000, requestTimeout: 3_600_000, timeout: 300_000, keepAliveTimeout: 72_000 },
  );
  assert.equal(countTimers(), timers, 'while it listens');
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  assert.equal(countTimers(), timers, 'while it closes');
  await closed;
});

describe('[EDGE-1] no upgrade, no CONNECT', () => {
  for (const protocol of ['websocket', 'h2c', 'TLS/1.3', 'websocket, foo/2']) {
    test(`a client that requests ${protocol} is answered in HTTP/1.1, with any framework`, async () => {
      const server = await start((_request, response) => response.end('plain'));
      server.on('upgrade', () => assert.fail('it was upgraded'));
      const request = `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
      const { socket, received } = dial(server, request);
      socket.end();
      assert.match(await received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*plain$/);
      await untilNoneIsOpen(server);
    });
  }

  test('CONNECT is rejected and the connection closed, also when the client keeps its side open', async () => {
    const server = await start(() => assert.fail('a tunnel reached the application'));
    for (const target of ['a.test:443', '/', '*']) {
      assert.match(await dial(server, `CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).received, /^HTTP\/1\.1 4\d\d /);
    }
    await untilNoneIsOpen(server);
  });
});

test('a method that no server of ours has is rejected before a framework sees it, with the allowed ones', async () => {
  const reached: (string | undefined)[] = [];
  const server = await start((request, response) => {
    reached.push(request.method);
    response.end();
  });
  const ours = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
  for (const method of METHODS) {
    const { socket, received } = dial(server, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    socket.end();
    const [head = '', ...rest] = (await received).split('\r\n');
    if (ours.includes(method)) assert.match(head, / 200 /, method);
    else {
      assert.match(head, / 405 /, method);
      assert.ok(rest.includes(`Allow: ${ours.join(', ')}`), method);
    }
  }
  assert.deepEqual(reached, ours);
  await untilNoneIsOpen(server);
});

describe('[EDGE-1] a header that does not end', () => {
  for (const [what, text] of [
    ['nothing at all', ''],
    ['empty lines', '\r\n\r\n'],
    ['half a request line', 'GET / HT'],
    ['half a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '],
  ] as const) {
    test(`${what}: 408, and the connection is closed`, async () => {
      const server = await start(echo, SHORT_HEADER);
      assert.match(await dial(server, text).received, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      await untilNoneIsOpen(server);
    });
  }

  test('a header that arrives line by line is cut off too', async () => {
    const server = await start(echo, SHORT_HEADER);
    const { socket, received } = dial(server, 'GET / HTTP/1.1\r\nHost: a\r\n');
    const dripping = setInterval(() => socket.write('X-A: b\r\n'), 20);
    assert.match(await received, /^HTTP\/1\.1 408 /);
    clearInterval(dripping);
  });

  test('the second header of a connection is cut off too', async () => {
    const server = await start(echo, { ...CONNECTION_LIMITS, headerMs: 2000 });
    const { received } = dial(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT');
    assert.match(await received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*HTTP\/1\.1 408 /);
  });
});

describe('[EDGE-1] a body that does not move', () => {
  for (const [what, text] of [
    ['nothing of it comes', [post(100)]],
    ['its end does not come', [post(100_000), 'x'.repeat(99_999)]],
    ['a chunk does not come', ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nab']],
  ] as const) {
    test(`${what}: the connection is closed`, async () => {
      const server = await start((request, response) => {
        void buffer(request).then(
          () => response.end(),
          () => {},
        );
      }, SHORT_BODY);
      assert.match(await dial(server, ...text).received, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      await untilNoneIsOpen(server);
    });
  }

  test('a byte now and then does not count as progress', async () => {
    const server = await start((request) => void request.resume(), SHORT_BODY);
    const { socket, received } = dial(server, post(1_000_000));
    const dripping = setInterval(() => socket.write('x'), 20);
    assert.match(await received, /^HTTP\/1\.1 408 /);
    clearInterval(dripping);
  });

  test('a body that was answered before its end, and one that no route reads, are cut off as well', async () => {
    const server = await start((request, response) => {
      if (request.url === '/refused') response.writeHead(413).end();
      else response.write('a stream of events');
    }, SHORT_BODY);
    const refused = dial(server, post(100).replace('/', '/refused'), 'x');
    const unread = dial(server, post(100).replace('POST', 'GET'), 'x');
    assert.match(await refused.received, /^HTTP\/1\.1 413 /);
    // No status is sent in the middle of an answer.
    assert.doesNotMatch(await unread.received, /408/);
    await untilNoneIsOpen(server);
  });

  test('a client that was answered before the end of its body gets no second answer, whatever happens to the body', async () => {
    const server = await start((_request, response) => response.writeHead(404).end('nothing here'), SHORT_BODY);
    const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n';
    const [stalled, left] = [dial(server, post(100), 'x'), dial(server, post(100), 'x')];
    left.socket.end();
    const broken = dial(server, chunked);
    broken.socket.once('data', () => broken.socket.write('no chunk\r\n'));
    // The next request of a connection has an answer of its own.
    const next = dial(server, post(2), '{}what is this\r\n\r\n');
    const statusesOf = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    for (const { received } of [stalled, left, broken]) assert.deepEqual(statusesOf(await received), ['404']);
    assert.deepEqual(statusesOf(await next.received), ['404', '400']);
    await untilNoneIsOpen(server);
  });

  test('the rest of a body is read when its reader has given up and answered', async () => {
    const server = createLimitedServer(
      (request, response) => {
        request.once('data', () => {
          request.pause();
          response.end('enough');
        });
      },
      { limits: SHORT_BODY, bodyMaxBytes: () => 64 * 1024 * 1024 },
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    // More than the sockets of both sides hold.
    const length = 40_000_000;
    const { socket } = dial(server, post(length));
    await new Promise<void>((resolve, reject) => {
      socket.write(Buffer.alloc(length), (error) => (error ? reject(error) : resolve()));
    });
    socket.destroy();
  });

  test('a body that moves slowly, and one that waits for the server, are not cut off', async () => {
    const wait = Promise.withResolvers<void>();
    const server = await start(async (request, response) => {
      if (request.url === '/waits') await wait.promise;
      request.pipe(response);
    }, SHORT_BODY);
    const { port } = server.address() as AddressInfo;
    const send = (path: string) => httpRequest({ port, path, method: 'POST', headers: { 'content-length': 1_000_000 } });
    const [moving, waiting] = [send('/moves'), send('/waits')];
    const answers = [moving, waiting].map(async (request) => {
      const [response]: IncomingMessage[] = await once(request, 'response');
      return response === undefined ? 0 : (await buffer(response)).length;
    });
    waiting.end(Buffer.alloc(1_000_000));
    // Meanwhile two stalled requests are cut off, one after the other, so the limit has passed twice.
    let [sent, isOver] = [0, false];
    const piece = Buffer.alloc(600);
    const moves = setInterval(() => {
      if (isOver || sent + piece.length > 999_999) return;
      sent += piece.length;
      moving.write(piece);
    }, 20);
    for (let round = 0; round < 2; round++) assert.match(await dial(server, post(10)).received, /^HTTP\/1\.1 408 /);
    isOver = true;
    clearInterval(moves);
    moving.end(Buffer.alloc(1_000_000 - sent));
    wait.resolve();
    assert.deepEqual(await Promise.all(answers), [1_000_000, 1_000_000]);
  });
});

describe('[EDGE-2] a body above its limit is a 413 before anything has read it', () => {
  const KIB = 'x'.repeat(1024);
  const chunk = `400\r\n${KIB}\r\n`;
  const chunkedPost = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const startSmall = async (listener: RequestListener) => {
    const server = createLimitedServer(listener, { bodyMaxBytes: () => 2048 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    return server;
  };
  const statusOf = (received: string) => received.slice(9, 12);

  test('by the length that it announces, or by the chunks that have arrived', async () => {
    const reached: string[] = [];
    const server = await startSmall(async (request, response) => {
      const body = await buffer(request).catch(() => null);
      if (body === null) return;
      reached.push(request.url ?? '');
      response.writeHead(200, { connection: 'close' }).end(String(body.length));
    });
    const answers = await Promise.all([
      dial(server, post(2048), KIB, KIB).received,
      dial(server, chunkedPost, chunk, chunk, '0\r\n\r\n').received,
      dial(server, post(2049).replace('/', '/long')).received,
      dial(server, post(150_000_000).replace('/', '/long'), KIB).received,
      dial(server, chunkedPost.replace('/', '/long'), chunk, chunk, '1\r\nx\r\n').received,
      dial(server, chunkedPost.replace('/', '/long'), chunk, chunk, chunk, '0\r\n\r\n').received,
    ]);
    assert.deepEqual(answers.map(statusOf), ['200', '200', '413', '413', '413', '413']);
    assert.deepEqual(reached, ['/', '/']);
  });

  test('at most a few megabytes of it are read after the answer, which its sender has three seconds to read', async (t) => {
    const waits: (number | undefined)[] = [];
    t.mock.method(globalThis, 'setTimeout', ((work: () => void, ms?: number, ...given: []) => {
      waits.push(ms);
      return setImmediate(work, ...given);
    }) as never);
    const server = await startSmall((request) => void request.resume());
    const CHUNKS = 64 * 1024;
    for (const head of [post(CHUNKS * 1024), chunkedPost]) {
      const { socket } = dial(server, head);
      const [accepted] = (await once(server, 'connection')) as [Socket];
      let remaining = CHUNKS;
      const pour = () => {
        while (remaining-- > 0 && socket.writable) if (!socket.write(chunk)) return;
      };
      socket.on('drain', pour);
      pour();
      await once(accepted, 'close');
      assert.ok(accepted.bytesRead < 4 * 1024 * 1024, `${accepted.bytesRead}`);
      assert.deepEqual([...new Set(waits.splice(0))], [3000]);
    }
    await untilNoneIsOpen(server);
  });

  test('a reader never sees the end of a body that was too long', async () => {
    const ends: string[] = [];
    const server = await startSmall((request) => {
      for (const event of ['end', 'error']) request.on(event, () => ends.push(event));
      request.resume();
    });
    const { received } = dial(server, chunkedPost, chunk, chunk, chunk, '0\r\n\r\n');
    assert.equal(statusOf(await received), '413');
    await untilNoneIsOpen(server);
    assert.deepEqual(ends, ['error']);
  });
});

test('[EDGE-2] a client that closes after its request can send all of it and read an answer that came earlier', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024);
  const refuse: RequestListener = (_request, response) => void response.writeHead(429).end();
  const server = createLimitedServer(refuse, { bodyMaxBytes: () => body.length }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  for (let round = 0; round < 5; round++) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    assert.match(await text(socket), /^HTTP\/1\.1 429 /);
  }
});

test('[EDGE-3] input that is not HTTP is rejected with a status, and the connection is closed', async () => {
  const server = await start(echo);
  const answers = await Promise.all(
    [
      'what is this\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    ].map((text) => dial(server, text).received),
  );
  const statuses = answers.map((answer) => answer.slice(9, 12));
  assert.deepEqual(statuses, ['400', '400', '400', '400', '400', '431']);
  await untilNoneIsOpen(server);
});

test('[EDGE-3] each answer of the server itself is a problem with its code, and only a 405 lists the methods', async () => {
  const server = await start(echo);
  const chunk = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(40_000)}\r\nx\r\n`;
  const unreadable = ['We couldn’t read this request.', 'unreadable_request'] as const;
  const rows: [text: string, status: number, title: string, words: readonly [message: string, code: string]][] = [
    ['what is this\r\n\r\n', 400, 'Bad Request', unreadable],
    ['GET nothing HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'Bad Request', unreadable],
    [`GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'Request Header Fields Too Large', unreadable],
    [chunk, 413, 'Payload Too Large', ['This is too large.', 'too_large']],
    [post(BODY_MAX_BYTES + 1), 413, 'Payload Too Large', ['This is too large.', 'too_large']],
    ['CONNECT a.test:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'Method Not Allowed', NOT_ALLOWED],
    ['TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'Method Not Allowed', NOT_ALLOWED],
  ];
  const answers = await Promise.all(rows.map(([text]) => dial(server, text).received));
  for (const [at, [text, status, title, [message, code]]] of rows.entries()) {
    const [head = '', body = ''] = (answers[at] ?? '').split('\r\n\r\n');
    const allow = status === 405 ? ['Allow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'] : [];
    const type = ['Connection: close', 'Content-Type: application/problem+json', `Content-Length: ${Buffer.byteLength(body)}`];
    assert.deepEqual(head.split('\r\n'), [`HTTP/1.1 ${status} ${title}`, ...type, ...allow], text.slice(0, 40));
    assert.deepEqual(JSON.parse(body), { type: 'about:blank', title, status, detail: message, message, code });
  }
  await untilNoneIsOpen(server);
});

test('[EDGE-3] a target that is not a path is rejected, and an absolute address is accepted', async () => {
  const server = await start((request, response) => response.end(`asked for ${request.url}`));
  const say = (line: string) => dial(server, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`).received;
  for (const line of ['GET *', 'OPTIONS *', 'GET nothing', 'GET a.test:80', 'GET http://a.test', 'GET ftp://a.test/x']) {
    assert.match(await say(line), /^HTTP\/1\.1 400 /, line);
  }
  assert.match(await say('GET http://a.test/x?y=1'), /asked for \/x\?y=1$/);
  await untilNoneIsOpen(server);
});
