import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { FairTurns } from './fair-turns.ts';

/** Starts named pieces of work, each of which runs until `end` is called with its name. */
function start(turns: FairTurns) {
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (owner: string, name: string, signal?: AbortSignal) =>
    turns.run(
      owner,
      () => {
        order.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      signal,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let rounds = 0; rounds < 20; rounds++) await Promise.resolve();
  };
  return { order, run, end };
}

test('[PICTURE-4] one person’s files do not delay another’s: people take turns, each with one at a time', async () => {
  const { order, run, end } = start(new FairTurns(2));
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2'), run('c', 'c1')];
  await end('');
  assert.deepEqual(order, ['a1', 'b1'], 'two at a time, of two people');
  await end('b1');
  assert.deepEqual(order.slice(2), ['c1'], 'c waited less time than a and b, but had no turn yet');
  for (const name of ['a1', 'c1', 'b2', 'a2', 'a3']) await end(name);
  await Promise.all(all);
  assert.equal(new Set(order).size, 6);
});

test('[PICTURE-4] a person who leaves while waiting gives up their place, and only that', async () => {
  const { order, run, end } = start(new FairTurns(1));
  const leaving = new AbortController();
  const first = run('a', 'a1');
  const gone = run('b', 'b1', leaving.signal);
  const last = run('b', 'b2');
  leaving.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  await end('a1');
  await end('b2');
  await Promise.all([first, last]);
  assert.deepEqual(order, ['a1', 'b2']);
  await assert.rejects(run('a', 'a2', leaving.signal), /left/);
});

test('[PICTURE-4] a person whose only work left while it waited can come again, and delays no one', async () => {
  const { order, run, end } = start(new FairTurns(1));
  const leaving = new AbortController();
  const first = run('a', 'a1');
  const gone = run('b', 'b1', leaving.signal);
  const other = run('c', 'c1');
  leaving.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  await end('a1');
  await end('c1');
  const again = run('b', 'b2');
  await end('');
  await end('b2');
  await Promise.all([first, other, again]);
  assert.deepEqual(order, ['a1', 'c1', 'b2']);
});

test('[PICTURE-4] work that fails gives its turn to the next, and a signal is not listened to after its work began', async () => {
  const turns = new FairTurns(1);
  const { signal } = new AbortController();
  const order: string[] = [];
  const work = (name: string) =>
    turns.run(
      name,
      async () => {
        order.push(`${name} ${getEventListeners(signal, 'abort').length}`);
        throw new Error(`${name} failed`);
      },
      signal,
    );
  const all = await Promise.allSettled(['a', 'b', 'c'].map(work));
  assert.deepEqual(
    all.map((result) => result.status === 'rejected' && result.reason.message),
    ['a failed', 'b failed', 'c failed'],
  );
  assert.deepEqual(order, ['a 2', 'b 1', 'c 0'], 'only what still waits listens');
});
