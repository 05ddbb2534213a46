import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followEvents, type StreamState } from './follow-events.ts';

/** A stream that hands over these events and then ends. */
function streamOf(...ids: number[]): Response {
  return new Response(ids.map((id) => `id: ${id}\nevent: unread\ndata: {}\n\n`).join(''));
}

test('[decisions 6] a stream that ends is resumed from its last event; a refusal ends it for good', async () => {
  const answers = [streamOf(1, 2), new Response(null, { status: 503 }), streamOf(3), new Response('', { status: 401 })];
  const asked: (string | undefined)[] = [];
  const seen: (string | undefined)[] = [];
  const states: StreamState[] = [];
  const refused = new Promise<void>((resolve) => {
    const followed = followEvents({
      since: '0',
      open: async (lastId) => {
        asked.push(lastId);
        return answers.shift() ?? new Response(null, { status: 500 });
      },
      onEvent: ({ id }) => seen.push(id),
      onState: (state) => {
        states.push(state);
        // Nobody waits for the next attempt.
        if (state === 'opening') setImmediate(() => followed.again());
        if (typeof state === 'object') resolve();
      },
    });
  });
  await refused;
  assert.deepEqual(asked, ['0', '2', '2', '3']);
  assert.deepEqual(seen, ['1', '2', '3']);
  assert.deepEqual(states.at(-1), { refused: 401 });
});

test('one that was stopped is not opened again', async () => {
  let opened = 0;
  const followed = followEvents({
    since: undefined,
    open: async (_lastId, signal) => {
      opened += 1;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    onEvent: () => {},
    onState: () => {},
  });
  followed.stop();
  await new Promise(setImmediate);
  followed.again();
  await new Promise(setImmediate);
  assert.equal(opened, 1);
});
