import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { WorkerEvents } from 'graphile-worker';
import { ignoreOtherSignals } from './ignore-other-signals.ts';

test('[SCALE-2] a signal wakes the channels of its tasks, and all channels if it names none', () => {
  const channels = [['clean_picture'], ['deliver_email'], ['move_dates', 'index_words']].map((names) => {
    const events: WorkerEvents = new EventEmitter();
    const nudges: number[] = [];
    const workerPool = { nudge: (count: number) => void nudges.push(count) };
    ignoreOtherSignals(events, names);
    events.emit('pool:create', { workerPool } as never);
    // As graphile-worker does with each notification, and at other times without one.
    const wake = (count: number) => workerPool.nudge(count);
    return { events, nudges, wake };
  });
  const woken = (payload: string | undefined) => {
    for (const { events, nudges, wake } of channels) {
      nudges.length = 0;
      events.emit('pool:listen:notification', { message: { payload } } as never);
      wake(7);
    }
    return channels.map(({ nudges }) => nudges.join());
  };
  assert.deepEqual(
    channels.map(({ nudges, wake }) => {
      wake(3);
      return nudges.join();
    }),
    ['3', '3', '3'],
    'before the first signal',
  );
  for (const [payload, expected] of [
    ['{"count":1,"tasks":{"deliver_email":true}}', ['', '7', '']],
    ['{"count":2,"tasks":{"clean_picture":true,"index_words":true}}', ['7', '', '7']],
    ['{"count":1,"tasks":{"unknown":true}}', ['', '', '']],
    ['{"count":1}', ['7', '7', '7']],
    ['{"count":1,"tasks":{"":true}}', ['7', '7', '7']],
    ['{"count":1,"tasks":{"deliver_email":true}}', ['', '7', '']],
    [undefined, ['7', '7', '7']],
  ] as const)
    assert.deepEqual(woken(payload), expected, payload ?? 'no payload');
});
