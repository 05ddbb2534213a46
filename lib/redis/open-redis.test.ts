import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { quietLog } from '../../test/support/platform.ts';
import { startRedis } from '../../test/support/stack/redis.ts';
import { createCallCounter } from '../call-counter.ts';
import { TooManyRequestsError } from '../errors.ts';
import type { Executor } from '../sql.ts';
import { openRedis } from './open-redis.ts';

const server = await startRedis();
const said: string[] = [];
const log = { info: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
const redis = await openRedis({ url: server.url, log: log as never });
after(() => redis.stop());
const ping = () =>
  redis.run([['ping']]).then(
    ([answer]) => answer,
    (error: Error) => error.message,
  );
const isUsed = () => eventually('Redis is used', async () => (await ping()) === 'PONG');
await isUsed();

test('[SCALE-1] the first connection is not logged, and the waits for a server grow to two seconds', async (t) => {
  assert.deepEqual(said, []);
  const waits: (number | undefined)[] = [];
  const enough = Promise.withResolvers<void>();
  t.mock.method(globalThis, 'setTimeout', ((work: () => void, ms?: number, ...given: []) => {
    if (waits.push(ms) < 14) return setImmediate(work, ...given);
    enough.resolve();
    return { unref() {} };
  }) as never);
  const lines: string[] = [];
  const awayLog = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) };
  const away = await openRedis({ url: 'redis://127.0.0.1:1', log: awayLog as never });
  await enough.promise;
  away.stop();
  assert.deepEqual(waits.slice(0, 14), [100, 200, 400, 800, 1600, ...Array(9).fill(2000)]);
  assert.deepEqual(lines, ['Redis is away: PostgreSQL is used instead']);
});

test('[SCALE-1] several commands are one round trip, and a rejected one fails them', async () => {
  assert.deepEqual(
    await redis.run([
      ['incrby', 'a', 2],
      ['incrby', 'a', 3],
    ]),
    [2, 5],
  );
  await assert.rejects(
    redis.run([
      ['set', 'text', 'x'],
      ['incr', 'text'],
    ]),
    /not an integer/,
  );
});

test('[SCALE-1] commands fail at once while the server is away and work when it is back; an outage is logged once', async () => {
  said.length = 0;
  for (const outage of [1, 2]) {
    await server.kill();
    await eventually('it is noticed', async () => (await ping()) === 'Redis is away');
    for (let call = 0; call < 100; call += 1) assert.equal(await ping(), 'Redis is away');
    await server.start();
    await isUsed();
    assert.deepEqual(said, Array(outage).fill(['Redis is away: PostgreSQL is used instead', 'Redis is used']).flat());
  }
});

test('[SCALE-1] a server that does not answer makes one command wait for a moment, and no later one', async (t) => {
  server.freeze();
  const waits: (number | undefined)[] = [];
  const { setTimeout: wait } = globalThis;
  t.mock.method(globalThis, 'setTimeout', ((work: () => void, ms?: number, ...given: []) => {
    waits.push(ms);
    return wait(work, ms, ...given);
  }) as never);
  assert.equal(await ping(), 'Redis did not answer in time');
  assert.ok(waits.includes(200), waits.join());
  for (let call = 0; call < 100; call += 1) assert.equal(await ping(), 'Redis is away');
  server.thaw();
  await isUsed();
});

test('[SCALE-1] a subscription is made again after each loss, and says when messages may be missed', async () => {
  const heard: string[] = [];
  redis.subscribe('news', {
    onMessage: (message) => heard.push(message),
    onSubscribed: () => heard.push('subscribed'),
    onLost: () => heard.push('lost'),
  });
  await eventually('a subscription', () => heard.length === 1);
  await redis.run([['publish', 'news', 'one']]);
  await eventually('a message', () => heard.length === 2);
  await server.kill();
  await eventually('the loss', () => heard.length === 3);
  await server.start();
  await eventually('another subscription', () => heard.length === 4);
  await isUsed();
  await redis.run([['publish', 'news', 'two']]);
  await eventually('another message', () => heard.length === 5);
  assert.deepEqual(heard, ['subscribed', 'one', 'lost', 'subscribed', 'two']);
});

test('[SCALE-1, RATE-1] processes count together in Redis, and in the database while it is away', async (t) => {
  let written = 0;
  const totals = new Map<string, number>();
  const pool: Executor = {
    async query({ values }) {
      const [subjects = [], calls = []] = values.filter(Array.isArray) as [string[], number[]];
      written += subjects.length;
      for (const [at, subject] of subjects.entries()) totals.set(subject, (totals.get(subject) ?? 0) + (calls[at] ?? 0));
      return { rows: subjects.map((subject) => ({ subject, calls: totals.get(subject) })) };
    },
  };
  const limits = { calls: { most: 5, words: () => 'Too many.' } };
  const now = () => new Date(29_000_001 * 60_000);
  const counters = [0, 1].map(() => createCallCounter({ pool, redis, log: quietLog, now, limits }));
  t.after(() => Promise.all(counters.map((counter) => counter.stop())));
  const count = async (process: number, subject: string) => (await counters[process]?.count('calls', subject))?.remaining;
  assert.deepEqual(await count(0, 'ann'), 4);
  assert.deepEqual(await count(1, 'ann'), 3, 'the other process has counted one');
  for (const remaining of [2, 1, 0]) assert.equal(await count(1, 'ann'), remaining);
  await assert.rejects(count(1, 'ann'), TooManyRequestsError);
  assert.equal(written, 0);
  await server.kill();
  await eventually('it is noticed', async () => (await ping()) === 'Redis is away');
  await assert.rejects(count(1, 'ann'), TooManyRequestsError, 'what is known is not forgotten');
  assert.deepEqual([await count(0, 'ben'), await count(1, 'ben')], [4, 3]);
  assert.equal(written, 2);
  await server.start();
  await isUsed();
  assert.deepEqual([await count(0, 'eve'), await count(1, 'eve')], [4, 3]);
  assert.equal(written, 2);
});
