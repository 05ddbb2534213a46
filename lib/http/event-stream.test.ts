import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import type { FastifyReply } from 'fastify';
import pino from 'pino';
import { publicRoute } from '../guards.ts';
import { createHttpServer, listen } from '../http-server.ts';
import { openEventStream } from './event-stream.ts';

const app = await createHttpServer({
  log: pino({ level: 'silent' }),
  sendError: (_error, _request, reply) => reply.code(500).send(),
});
const opened = Promise.withResolvers<ReturnType<typeof openEventStream>>();
app.get('/', { config: { guard: publicRoute('a test') } }, (_request, reply) => {
  opened.resolve(openEventStream(reply));
});
const openedLate = Promise.withResolvers<ReturnType<typeof openEventStream>>();
app.get('/late', { config: { guard: publicRoute('a test') } }, async (_request, reply) => {
  const left = once(reply.raw, 'close');
  reply.raw.writeProcessing();
  await left;
  openedLate.resolve(openEventStream(reply));
});
const port = await listen(app, '127.0.0.1', 0);
after(() => app.close());

/** nginx gathers this much before it passes anything on: a buffer of 4 KiB, on some machines of 8. */
const GATHERED_BYTES = 8 * 1024;

test('a stream passes proxies that gather answers: padding follows at once, and once for a burst; its end is noticed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(Math, 'random', () => 0);
  const gone = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: gone.signal });
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store, no-transform');
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  assert.equal(response.headers.get('content-encoding'), null);
  assert.ok(response.body !== null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  /** Reads up to the end of the padding that follows the wanted text. */
  const readPast = async (wanted: string) => {
    let text = '';
    while (!text.includes(wanted) || text.length < text.indexOf(wanted) + wanted.length + GATHERED_BYTES) {
      text += (await reader.read()).value ?? assert.fail('the stream ended');
    }
    return text;
  };

  assert.match(await readPast('retry: 1000\n\n'), /^retry: 1000\n\n: {8192,}\n\n$/);
  const stream = await opened.promise;
  for (const data of [1, 2, 3]) stream.send({ event: 'a', id: String(data), data });
  const burst = await readPast('data: 3\n\n');
  assert.match(burst, /^(id: \d\nevent: a\ndata: \d\n\n){3}: {8192,}\n\n$/);
  stream.send({ event: 'a', data: 'later' });
  assert.match(await readPast('data: "later"\n\n'), /^event: a\ndata: "later"\n\n: {8192,}\n\n$/);
  // nginx cuts off an answer that is silent for a minute.
  t.mock.timers.tick(30_000);
  assert.match(await readPast(':\n\n'), /^:\n\n: {8192,}\n\n$/);
  gone.abort();
  await stream.closed;
});

test('a stream that is opened for a client who already left ends at once, and leaves no timer', {
  timeout: 10_000,
}, async () => {
  const request = get(`http://127.0.0.1:${port}/late`).on('error', () => {});
  await once(request, 'information');
  request.destroy();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const stream = await openedLate.promise;
  await stream.closed;
  stream.send({ event: 'a', data: 1 });
  assert.equal(timers(), before, 'no heartbeat');
});

/** A stream whose reader has stopped reading, and its connection. */
function openStuck() {
  const texts: string[] = [];
  const raw = Object.assign(new Writable({ write: (chunk) => void texts.push(String(chunk)) }), { writeHead: () => {}, texts });
  const reply = { raw, header: () => {}, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply;
  return { raw, stream: openEventStream(reply) };
}

test('[LIVE-1] a reader who does not read is cut off above half a megabyte, and the timer of the stream ends with it', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const MAX = 512 * 1024;
  for (const [bytes, isCut] of [
    [MAX, false],
    [MAX + 1, true],
  ] as const) {
    const { raw, stream } = openStuck();
    const framing = raw.writableLength + 'event: a\ndata: ""\n\n'.length;
    stream.send({ event: 'a', data: 'x'.repeat(bytes - framing) });
    assert.deepEqual([raw.writableLength >= bytes || isCut, raw.destroyed], [true, isCut], `${bytes} bytes wait`);
    raw.destroy();
    await stream.closed;
  }
  assert.equal(timers(), before);
});

test('[LIVE-9] each stream says after which time its reader comes back, one to four seconds', async (t) => {
  const waits: (string | undefined)[] = [];
  let random = 0;
  t.mock.method(Math, 'random', () => random);
  for (random of [0, 0.5, 1]) {
    const { raw, stream } = openStuck();
    waits.push(/retry: (\d+)\n\n/.exec(raw.texts.join(''))?.[1]);
    raw.destroy();
    await stream.closed;
  }
  assert.deepEqual(waits, ['1000', '2500', '4000']);
});

test('[LIVE-1] a stream that is closed still sends what was written, and nothing after that', async () => {
  const { raw, stream } = openStuck();
  stream.send({ event: 'a', data: 'the last' });
  stream.close();
  const waiting = raw.writableLength;
  stream.send({ event: 'a', data: 'too late' });
  stream.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([raw.writableEnded, raw.destroyed, raw.writableLength], [true, false, waiting]);
  raw.destroy();
  await stream.closed;
});
