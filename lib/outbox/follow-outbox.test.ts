import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openGate } from '../../test/support/gate.ts';
import { quietLog } from '../../test/support/platform.ts';
import { startRedis } from '../../test/support/stack/redis.ts';
import { openRedis, type Redis } from '../redis/open-redis.ts';
import { addEvent } from './add-event.ts';
import { followOutbox } from './follow-outbox.ts';
import { CHANNEL, NEEDS_NOTIFY_LOCK, publishOutbox } from './publish-outbox.ts';
import { startPublisher } from './publisher.ts';

after(() => listener.end());
const { url, db, pool } = await createTestDatabase();
const server = await startRedis();
const open = async () => {
  const redis = await openRedis({ url: server.url, log: quietLog });
  after(() => redis.stop());
  return redis;
};
const ownRedis = await open();
const isUsed = (redis = ownRedis) =>
  eventually('Redis is used', () =>
    redis.run([['ping']]).then(
      () => true,
      () => false,
    ),
  );
const PUBLISHER = '00000000-0000-4000-8000-000000000000';
const publish = (redis?: Redis) =>
  publishOutbox({ db, publisher: PUBLISHER, floor: 0, redis, complete: async (_tx, events) => [...events] });
/** Publishes one event. A message that Redis accepts and does not deliver is lost. */
const publishOne = async (n: number, redis: Redis | undefined = ownRedis) => {
  await addEvent(db, { n });
  assert.equal((await publish(redis)).published, 1);
};
const LOSING: Redis = { run: async () => [0], subscribe: () => {}, stop: () => {} };

/** Hears notifications as any client does, without saying that it needs them. */
const listener = new pg.Client({ connectionString: url });
await listener.connect();
let notified = 0;
listener.on('notification', () => (notified += 1));
await listener.query(`listen ${CHANNEL}`);
const notifications = async () => {
  await listener.query('select');
  return notified;
};

/** A process: the events and reports that it got, in order. */
async function follow(redis?: Redis, databaseUrl = url) {
  const got: (number | string)[] = [];
  const following = followOutbox({
    url: databaseUrl,
    redis,
    onEvents: (events) => got.push(...events.map((event) => (event as { n: number }).n)),
    onUnreadable: () => got.push('unreadable'),
    onMissed: () => got.push('missed'),
    onConnected: () => got.push('connected'),
    onLost: () => got.push('lost'),
  });
  after(() => following.stop());
  await eventually('a connection', () => got.includes('connected'));
  return { got, stop: () => following.stop(), has: (n: number | string) => eventually(`event ${n}`, () => got.includes(n)) };
}

const LOCKS = `select from pg_locks
  where locktype = 'advisory' and classid::bigint << 32 | objid::bigint = ${NEEDS_NOTIFY_LOCK}
    and database = (select oid from pg_database where datname = current_database())`;
/** The processes that need notifications. */
const countNeeding = async () => (await pool.query(LOCKS)).rowCount;
const needing = (count: number) => eventually(`${count} that need notifications`, async () => (await countNeeding()) === count);

beforeEach(async () => {
  await server.start();
  await isUsed();
  await pool.query('delete from outbox');
});

test('[SCALE-1] events go through Redis, and are notified only while a process gets none from there', async () => {
  const processes = await Promise.all([1, 2].map(async () => follow(await open())));
  await needing(0);
  const before = await notifications();
  for (const n of [1, 2, 3]) await publishOne(n);
  for (const { has } of processes) await has(3);
  assert.equal((await notifications()) - before, 0);
  const without = await follow();
  await needing(1);
  for (const n of [4, 5]) await publishOne(n);
  for (const { has } of [...processes, without]) await has(5);
  await publishOne(6, undefined);
  for (const { has } of [...processes, without]) await has(6);
  for (const { got } of processes) assert.deepEqual(got, ['connected', 1, 2, 3, 4, 5, 6], 'each event once');
  assert.deepEqual(without.got, ['connected', 4, 5, 6]);
  for (const { stop } of [...processes, without]) await stop();
});

test('[SCALE-1] while Redis is away, events are notified, and none is missed', async () => {
  const process = await follow(await open());
  await needing(0);
  await publishOne(1);
  await server.kill();
  await publishOne(2);
  await process.has(2);
  await needing(1);
  await publishOne(3);
  await server.start();
  await isUsed();
  await needing(0);
  await publishOne(4);
  await process.has(4);
  assert.deepEqual(process.got, ['connected', 1, 2, 3, 4]);
  await process.stop();
});

test('[SCALE-1] a process notices that it missed events, with the next event, and when it loses Redis', async () => {
  const process = await follow(await open());
  await needing(0);
  await publishOne(1, LOSING);
  await publishOne(2);
  await process.has(2);
  assert.deepEqual(process.got, ['connected', 'missed', 2]);
  await publishOne(3, LOSING);
  await server.kill();
  await eventually('a report', () => process.got.length === 4);
  assert.deepEqual(process.got, ['connected', 'missed', 2, 'missed']);
  await process.stop();
});

test('[SCALE-1] what Redis sends while the database is away arrives after the next connection', async () => {
  const gate = await openGate(url);
  const redis = await open();
  let arrived = 0;
  const process = await follow(
    {
      ...redis,
      subscribe: (channel, subscriber) =>
        redis.subscribe(channel, {
          ...subscriber,
          onMessage: (message) => {
            subscriber.onMessage(message);
            arrived += 1;
          },
        }),
    },
    gate.url,
  );
  await needing(0);
  await publishOne(1);
  await process.has(1);
  await gate.shut();
  await process.has('lost');
  await publishOne(2);
  await eventually('the message', () => arrived === 2);
  await gate.open();
  await process.has(2);
  assert.deepEqual(process.got, ['connected', 1, 'lost', 'connected', 2]);
  await process.stop();
});

test('[SCALE-1] a batch that came before it was rolled back is published again, and others use the same server', async () => {
  const process = await follow(await open());
  await needing(0);
  await addEvent(db, { n: 1 });
  const failing = {
    ...db,
    transaction: (work: Parameters<typeof db.transaction>[0]) =>
      db.transaction(async (tx) => {
        await work(tx);
        throw new Error('no commit');
      }),
  } as typeof db;
  const publishing = {
    publisher: PUBLISHER,
    floor: 0,
    redis: ownRedis,
    complete: async (_tx: unknown, events: readonly object[]) => [...events],
  };
  await assert.rejects(publishOutbox({ db: failing, ...publishing }), /no commit/);
  await process.has(1);
  await ownRedis.run([
    ['publish', CHANNEL, '[{"n":99,"since":"0000abcd-1"}]'],
    ['publish', CHANNEL, 'x'],
  ]);
  await publish(ownRedis);
  await publishOne(2);
  await process.has(2);
  assert.deepEqual(process.got, ['connected', 1, 'unreadable', 1, 2]);
  await process.stop();
});

test('[SCALE-1] the batches of another platform with the same Redis do not count, whatever their numbers', async () => {
  const process = await follow(await open());
  await needing(0);
  await publishOne(1);
  await process.has(1);
  const [{ batch }] = (await pool.query('select batch::float8 as batch from outbox_publisher')).rows;
  // Both databases of a test are on one server, which numbers their batches together, so the message is made up.
  for (const ahead of [1e6, 2e6]) {
    const events = [{ n: 99, since: '0000abcd-1', batch: [batch + ahead - 5, batch + ahead] }];
    await ownRedis.run([['publish', CHANNEL, JSON.stringify(events)]]);
    await publishOne(1 + ahead);
    await process.has(1 + ahead);
  }
  assert.deepEqual(process.got, ['connected', 1, 1 + 1e6, 1 + 2e6]);
  await process.stop();
});

test('[SCALE-1] whatever happens to Redis, each event arrives in order, or a process knows that it missed some', async (t) => {
  const processes = await Promise.all([follow(await open()), follow(await open()), follow()]);
  const publisher = startPublisher({ db, log: quietLog, redis: await open(), everyMs: 1 });
  t.after(() => publisher.stop());
  for (let n = 0; n < 300; n += 1) {
    await addEvent(db, { n });
    if (n % 100 === 30) await server.kill();
    if (n % 100 === 60) await server.start();
    if (n === 180) server.freeze();
    if (n === 220) server.thaw();
  }
  for (const { has } of processes) await has(299);
  for (const { got, stop } of processes) {
    const numbers = [...new Set(got.filter((one) => typeof one === 'number'))];
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
      'in order',
    );
    if (!got.includes('missed')) assert.equal(numbers.length, 300);
    await stop();
  }
  assert.equal(processes[2]?.got.includes('missed'), false, 'nothing is missed without Redis');
});
