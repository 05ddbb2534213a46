import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { followEvents, type StreamState } from './follow-events.ts';

/** A stream that sends events with these ids and then ends. */
function streamOf(...ids: number[]): Response {
  return new Response(ids.map((id) => `id: ${id}\nevent: unread\ndata: {}\n\n`).join(''));
}

test('[LIVE-1, LIVE-4] a stream that ends is resumed from its last event, and a rejection ends it for good', async () => {
  const answers = [streamOf(1, 2), new Response(null, { status: 503 }), streamOf(3), new Response('', { status: 401 })];
  const lastIds: (string | undefined)[] = [];
  const seen: (string | undefined)[] = [];
  const states: StreamState[] = [];
  const rejection = new Promise<void>((resolve) => {
    const stream = followEvents({
      since: '0',
      open: async (lastId) => {
        lastIds.push(lastId);
        return answers.shift() ?? new Response(null, { status: 500 });
      },
      onEvent: ({ id }) => seen.push(id),
      onState: (state) => {
        states.push(state);
        // This skips the wait before the next attempt.
        if (state === 'opening') setImmediate(() => stream.again());
        if (typeof state === 'object') resolve();
      },
    });
  });
  await rejection;
  assert.deepEqual(lastIds, ['0', '2', '2', '3']);
  assert.deepEqual(seen, ['1', '2', '3']);
  assert.deepEqual(states.at(-1), { refused: 401 });
});

test('a stream that was stopped is not opened again', async () => {
  let opened = 0;
  const stream = followEvents({
    since: undefined,
    open: async (_lastId, signal) => {
      opened += 1;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    onEvent: () => {},
    onState: () => {},
  });
  stream.stop();
  await new Promise(setImmediate);
  stream.again();
  await new Promise(setImmediate);
  assert.equal(opened, 1);
});

/** Measures how long the stream waits after an answer before it opens again, in milliseconds; null if it never does. */
async function waitAfter(t: TestContext, answer: () => Promise<Response>, random = 0): Promise<number | null> {
  t.mock.method(Math, 'random', () => random);
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  let opened = 0;
  let isRefused = false;
  const stream = followEvents({
    since: undefined,
    open: () => (++opened === 1 ? answer() : new Promise<Response>(() => {})),
    onEvent: () => {},
    onState: (state) => {
      isRefused ||= typeof state === 'object';
    },
  });
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  await turns();
  let waited = 0;
  for (; opened === 1 && !isRefused && waited < 90_000_000; waited += waited < 70_000 ? 1000 : 100_000) {
    t.mock.timers.tick(waited < 70_000 ? 1000 : 100_000);
    await turns();
  }
  stream.stop();
  t.mock.timers.reset();
  return isRefused ? null : waited;
}

test('[LIVE-4] each status either ends the stream for good or opens it again after its wait', async (t) => {
  for (const status of [400, 401, 403, 404, 405, 409, 410, 413, 415, 422]) {
    assert.equal(await waitAfter(t, async () => new Response('', { status })), null, String(status));
  }
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    assert.equal(await waitAfter(t, async () => new Response('', { status })), 1000, String(status));
  }
  assert.equal(await waitAfter(t, () => Promise.reject(new TypeError('network'))), 1000);
});

test('[LIVE-4, ERROR-6] Retry-After delays the stream in seconds or as a date, and never with a timer that overflows', async (t) => {
  const after = (header: string) => async () => new Response('', { status: 429, headers: { 'retry-after': header } });
  assert.equal(await waitAfter(t, after('7')), 7000);
  assert.equal(await waitAfter(t, after('Fri, 20 Nov 2026 10:01:00 GMT')), 60_000);
  assert.equal(await waitAfter(t, after('soon')), 1000);
  assert.ok(((await waitAfter(t, after('99999999999'))) ?? 0) > 80_000_000);
});

/** Measures the first waits of a stream, in milliseconds. `open` answers each connection by its number; null loses it. */
async function waitsOf(t: TestContext, open: (at: number) => Response | null, count: number): Promise<number[]> {
  t.mock.method(Math, 'random', () => 0);
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let opened = 0;
  const stream = followEvents({
    since: undefined,
    open: async () => open(opened++) ?? Promise.reject(new TypeError('network')),
    onEvent: () => {},
    onState: () => {},
  });
  const turns = async () => {
    for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
  };
  const waits: number[] = [];
  await turns();
  for (let at = 1; at <= count; at++) {
    let waited = 0;
    for (; opened === at && waited < 120_000; waited += 1000) {
      t.mock.timers.tick(1000);
      await turns();
    }
    waits.push(waited);
  }
  stream.stop();
  t.mock.timers.reset();
  return waits;
}

test('[LIVE-4] each failure in a row doubles the wait up to half a minute, and a stream that opened begins again', async (t) => {
  const FAILING = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];
  assert.deepEqual(await waitsOf(t, () => null, 7), FAILING);
  const opensAgain = (at: number) => (at === 3 ? new Response('id: 1\n\n') : null);
  assert.deepEqual(await waitsOf(t, opensAgain, 6), [1000, 2000, 4000, 1000, 1000, 2000]);
});

test('[LIVE-4] when the network is back, the waits begin again', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let opened = 0;
  const turns = async (time = 0) => {
    t.mock.timers.tick(time);
    for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
  };
  const open = () => Promise.reject(new TypeError(`network ${++opened}`));
  const stream = followEvents({ since: undefined, open, onEvent: () => {}, onState: () => {} });
  for (const time of [0, 1000, 2000]) await turns(time);
  assert.equal(opened, 3);
  stream.again();
  await turns();
  await turns(1000);
  assert.equal(opened, 5);
  stream.stop();
});

test('[LIVE-4] a connection without a byte for fifty seconds is given up, and any byte begins the time again', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let opened = 0;
  let send = (_: string) => {};
  const open = async (_: string | undefined, signal: AbortSignal) => {
    opened += 1;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    };
    return new Response(new ReadableStream({ start }));
  };
  const stream = followEvents({ since: undefined, open, onEvent: () => {}, onState: () => {} });
  const turns = async (time = 0) => {
    t.mock.timers.tick(time);
    for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
  };
  await turns();
  await turns(49_999);
  send(': \n\n');
  await turns();
  await turns(49_999);
  assert.equal(opened, 1);
  await turns(1);
  await turns(1000);
  assert.equal(opened, 2);
  stream.stop();
});

test('[LIVE-1] a character that arrives in two parts is read as one', async () => {
  const bytes = new TextEncoder().encode('id: 1\ndata: "Señor 😀"\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const read = new Promise<string>((resolve) => {
    const stream = followEvents({
      since: undefined,
      open: async () => new Response(body),
      onEvent: ({ data }) => {
        stream.stop();
        resolve(data);
      },
      onState: () => {},
    });
  });
  assert.equal(await read, '"Señor 😀"');
});

test('[LIVE-9] an ended stream opens again after the wait that the server set, and failures are spread', async (t) => {
  const ended = (text: string) => async () => new Response(text);
  assert.equal(await waitAfter(t, ended('retry: 4000\n\n')), 4000);
  assert.equal(await waitAfter(t, ended('retry: 4000\n\n'), 0.5), 4000);
  assert.equal(await waitAfter(t, ended('retry: x\n\n'), 1), 2000);
  assert.equal(await waitAfter(t, ended('retry: 3000\nid: 1\n\n')), 3000);
  assert.equal(await waitAfter(t, async () => new Response('', { status: 503 }), 1), 2000);
  const later = async () => new Response('', { status: 503, headers: { 'retry-after': '40' } });
  assert.equal(await waitAfter(t, later, 1), 70_000, 'at most half a minute longer');
});
