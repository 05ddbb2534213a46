import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { quietLog } from '../../test/support/platform.ts';
import type { Database } from '../database.ts';
import type { Log } from '../log.ts';
import { query, sql } from '../sql.ts';
import { addEvent } from './add-event.ts';
import { type CompleteEvents, publishOutbox } from './publish-outbox.ts';
import { type Publisher, startPublisher } from './publisher.ts';

interface Event {
  n: number;
  text?: string;
  since: string;
}

after(() => listener.end());
const { url, db, pool } = await createTestDatabase();
const heard: Event[] = [];
const payloads: string[] = [];
const signals: { count: number; tasks: object }[] = [];
const listener = new pg.Client({ connectionString: url });
await listener.connect();
listener.on('notification', ({ channel, payload = '' }) => {
  if (channel === 'jobs:insert') {
    const { count, tasks } = JSON.parse(payload);
    return void signals.push({ count, tasks });
  }
  payloads.push(payload);
  heard.push(...JSON.parse(payload));
});
await listener.query('listen chain_event; listen "jobs:insert"');

const complete: CompleteEvents = async (_tx, events) => [...events];
const ONE = randomUUID();
const OTHER = randomUUID();
const publish = async (publisher = ONE, floor = 0) => {
  return (await publishOutbox({ db, publisher, floor, complete })).published;
};
const numbers = () => heard.map(({ n }) => n);
const transactionOf = ({ since }: Event) => BigInt(since.split('-')[1] ?? '');
/** Publishes events until the place of one is after a transaction. Transactions of other databases on the server count as well. */
const isPassed = (number: bigint) =>
  eventually('a later place', async () => {
    const count = heard.length;
    await addEvent(db, { n: 99 });
    await publish();
    await eventually('the event', () => heard.length > count);
    return transactionOf(heard.at(-1) as Event) > number;
  });
const open = async () => {
  const client = await pool.connect();
  await client.query('begin');
  const { rows } = await client.query('select pg_current_xact_id()::text as number');
  return { client, number: BigInt(rows[0].number) };
};

beforeEach(async () => {
  await pool.query('delete from outbox; delete from outbox_publisher');
  for (const list of [heard, payloads, signals]) list.length = 0;
});

test('[SCALE-2] events arrive in the order in which they were written, in one notification, and once', async () => {
  for (const n of [1, 2, 3]) await addEvent(db, { n });
  assert.equal(await publish(), 3);
  assert.equal(await publish(), 0);
  await eventually('all events', () => heard.length === 3);
  assert.deepEqual(numbers(), [1, 2, 3]);
  assert.equal(payloads.length, 1);
});

test('[SCALE-2] an event of a transaction that is rolled back is not published', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await addEvent(tx, { n: 1 });
      throw new Error('no');
    }),
  );
  await addEvent(db, { n: 2 });
  assert.equal(await publish(), 1);
  await eventually('the other event', () => heard.length > 0);
  assert.deepEqual(numbers(), [2]);
});

test('[SCALE-2] more events than a notification can contain are several notifications, in order', async () => {
  const text = 'é'.repeat(1700);
  for (let n = 0; n < 9; n++) await addEvent(db, { n, text });
  await addEvent(db, { n: 9, text: 'é'.repeat(3400) });
  assert.equal(await publish(), 10);
  await eventually('all events', () => heard.length === 10);
  assert.deepEqual(numbers(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(payloads.length, 6);
  await assert.rejects(addEvent(db, { n: 10, text: 'x'.repeat(7000) }), { constraint: 'outbox_event_check' });
});

test('[LIVE-1] from the place of an event, a reader finds every event that comes after it', async () => {
  const early = await open();
  await addEvent(db, { n: 1 });
  const late = await open();
  await late.client.query(`insert into outbox (event) values ('{"n":2}')`);
  await addEvent(db, { n: 3 });
  await late.client.query('commit');
  await publish();
  await eventually('all events', () => heard.length === 3);
  const [first, second, third] = heard.map(transactionOf);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  // The first transaction still runs, and its event will come last.
  for (const place of [first, second, third]) assert.ok(place <= early.number);
  await early.client.query(`insert into outbox (event) values ('{"n":4}')`);
  await early.client.query('commit');
  for (const { client } of [early, late]) client.release();
  await publish();
  await eventually('the last event', () => heard.length === 4);
  await isPassed(late.number);
});

test('[LIVE-1] the place of an event is not after a later event of the same batch', async () => {
  const late = await open();
  await addEvent(db, { n: 1 });
  await late.client.query(`insert into outbox (event) values ('{"n":2}')`);
  await late.client.query('commit');
  late.client.release();
  await publish();
  await eventually('both events', () => heard.length === 2);
  assert.deepEqual(numbers(), [1, 2]);
  assert.ok(transactionOf(heard[0] as Event) <= late.number);
  await isPassed(late.number);
});

test('[SCALE-2] a transaction with an earlier id that still runs is before the end that the publisher waits for', async () => {
  const [ended, running] = [await open(), await open()];
  const insert = `insert into outbox (event) values ('{"n":1}')`;
  // The one that still runs has the later transaction number and the earlier id.
  await running.client.query(insert);
  await ended.client.query(insert);
  await ended.client.query('commit');
  const result = await publishOutbox({ db, publisher: ONE, floor: 0, complete });
  assert.equal(result.published, 1);
  assert.ok(BigInt(result.newest ?? 0) > running.number);
  await running.client.query('commit');
  for (const { client } of [ended, running]) client.release();
  assert.equal(await publish(), 1);
  await eventually('both events', () => heard.length === 2);
});

test('[SCALE-2] the due jobs of several transactions are one signal for the workers, and future jobs cause no signal', async () => {
  const queue = (task: string, due: string | null) =>
    query(db, sql`select queue_jobs(${task}, '[{"payload":{}}]', ${due}::timestamptz, 1, null, false)`);
  await queue('remind_of_closing', '2100-01-01');
  assert.equal(await publish(), 0);
  await queue('remind_of_closing', null);
  await queue('deliver_push', '2000-01-01');
  assert.equal(await publish(), 2);
  await eventually('a signal', () => signals.length > 0);
  assert.deepEqual(signals, [{ count: 2, tasks: { remind_of_closing: true, deliver_push: true } }]);
  assert.deepEqual(payloads, []);
});

test('[SCALE-2] while one process publishes, the others leave the outbox to it, until it is silent', async () => {
  await addEvent(db, { n: 1 });
  assert.equal(await publish(ONE), 1);
  await addEvent(db, { n: 2 });
  assert.equal(await publish(OTHER), null);
  assert.equal(await publish(ONE), 1);
  await pool.query("update outbox_publisher set published_at = published_at - interval '301 milliseconds'");
  await addEvent(db, { n: 3 });
  assert.equal(await publish(OTHER), 1);
  assert.equal(await publish(ONE), null);
  const { client } = await open();
  await pool.query('delete from outbox_publisher');
  await client.query('select * from take_outbox($1, 0)', [OTHER]);
  await addEvent(db, { n: 4 });
  assert.equal(await publish(ONE), null, 'another one is publishing now');
  await client.query('rollback');
  client.release();
  assert.equal(await publish(ONE), 1);
  await eventually('all events', () => heard.length === 4);
});

test('[SCALE-2] events are completed with what their transactions saw, and one that is too long then is published as it is', async () => {
  await db.transaction(async (tx) => {
    for (const n of [1, 2]) await addEvent(tx, { n });
    await query(tx, sql`insert into call_count (subject, minute, calls) values ('of the transaction', 1, 1)`);
  });
  const seen: unknown[] = [];
  const publishing = publishOutbox({
    db,
    publisher: ONE,
    floor: 0,
    async complete(tx, events) {
      seen.push(...(await query(tx, sql`select subject from call_count`)));
      return events.map((event, at) => ({ ...event, text: 'x'.repeat(at === 0 ? 100 : 7700) }));
    },
  });
  assert.equal((await publishing).published, 2);
  assert.deepEqual(seen, [{ subject: 'of the transaction' }]);
  await eventually('both events', () => heard.length === 2);
  assert.deepEqual(
    heard.map(({ n, text }) => [n, text?.length]),
    [
      [1, 100],
      [2, undefined],
    ],
  );
});

test('[SCALE-2] events that cannot be completed are published as they are', async (t) => {
  let failures = 0;
  const fails: CompleteEvents = async (tx) => {
    failures += 1;
    await query(tx, sql`select 1 / 0`);
    return [];
  };
  const publisher = startPublisher({ db, log: quietLog, complete: fails });
  t.after(() => publisher.stop());
  for (const n of [1, 2]) {
    await addEvent(db, { n });
    await eventually('the event', () => heard.length === n);
  }
  assert.deepEqual(numbers(), [1, 2]);
  assert.equal(failures, 1, 'it is not tried again at once');
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + 5000);
  await addEvent(db, { n: 3 });
  await eventually('the third event', () => heard.length === 3);
  assert.equal(failures, 2, 'it is tried again after five seconds');
});

test('[SCALE-2] each outage of the outbox is logged once', async (t) => {
  const warnings: string[] = [];
  const log = { warn: (_entry: unknown, message: string) => warnings.push(message) } as unknown as Log;
  let isAway = false;
  let failures = 0;
  const failing: Database = {
    ...db,
    async query(statement) {
      if (!isAway) return db.query(statement);
      failures += 1;
      throw new Error('away');
    },
  };
  const publisher = startPublisher({ db: failing, log, everyMs: 1 });
  t.after(() => publisher.stop());
  for (const outage of [1, 2, 3]) {
    isAway = true;
    await eventually('several failures', () => failures >= 2 * outage);
    assert.deepEqual(warnings, Array(outage).fill('events could not be published'));
    isAway = false;
    await addEvent(db, { n: outage });
    await eventually('an event', () => heard.length === outage);
  }
});

test('[SCALE-2] a process looks less often while another one publishes, and after errors', async (t) => {
  const rows = [
    ['empty', 100],
    ['other', 300],
    ['other', 300],
    ['empty', 100],
    // The first try after an error comes soon, because the error may be that of an event that cannot be completed.
    ['away', 100],
    ['away', 1000],
    ['away', 1000],
    ['empty', 100],
    ['other', 300],
  ] as const;
  const outcomes = rows.map(([outcome]) => outcome);
  const waits: (number | undefined)[] = [];
  const ended = Promise.withResolvers<void>();
  t.mock.method(globalThis, 'setTimeout', ((work: () => void, ms?: number, ...given: []) => {
    if (waits.push(ms) === rows.length) ended.resolve();
    else setImmediate(work, ...given);
    return { unref: () => undefined };
  }) as never);
  const looking = {
    ...db,
    async query() {
      const outcome = outcomes.shift();
      if (outcome === 'away') throw new Error('away');
      return { rows: [{ is_empty: outcome === 'empty', is_other: outcome === 'other' }] };
    },
  } as unknown as Database;
  const publisher = startPublisher({ db: looking, log: quietLog });
  await ended.promise;
  await publisher.stop();
  assert.deepEqual(
    waits,
    rows.map(([, wait]) => wait),
  );
});

test('[SCALE-2] when the publisher ends, another one continues', async (t) => {
  const publishers: Publisher[] = [1, 2].map(() => startPublisher({ db, log: quietLog }));
  t.after(() => Promise.all(publishers.map((publisher) => publisher.stop())));
  const publisherNow = async () => (await pool.query('select publisher from outbox_publisher')).rows[0]?.publisher;
  await addEvent(db, { n: 1 });
  await eventually('an event', () => heard.length === 1);
  const first = await publisherNow();
  await publishers[0]?.stop();
  await addEvent(db, { n: 2 });
  await eventually('an event of those that are left', () => heard.length === 2);
  const third = startPublisher({ db, log: quietLog });
  publishers.push(third);
  await publishers[1]?.stop();
  await addEvent(db, { n: 3 });
  await eventually('an event of the last one', () => heard.length === 3);
  assert.notEqual(await publisherNow(), first);
});

test('[SCALE-2] whatever is written at once, with long and short transactions, every event is published once', async (t) => {
  const publishers = [1, 2, 3].map(() => startPublisher({ db, log: quietLog, everyMs: 1 }));
  t.after(() => Promise.all(publishers.map((publisher) => publisher.stop())));
  /** Writers other than the first that have ended. */
  let ended = 0;
  const write = (writer: number) =>
    Array.from({ length: 40 }).reduce<Promise<void>>(async (before, _, at) => {
      await before;
      await db.transaction(async (tx) => {
        await addEvent(tx, { n: writer * 100 + at });
        // The first writer has its id long before it commits: until an event of another writer was published.
        const count = heard.length;
        if (writer === 0) await eventually('other events', () => heard.length > count || ended === 3);
      });
    }, Promise.resolve());
  const writeOther = async (writer: number) => {
    await write(writer);
    ended += 1;
  };
  await Promise.all([write(0), writeOther(1), writeOther(2), writeOther(3)]);
  await eventually('all events', () => heard.length >= 160);
  assert.equal(new Set(numbers()).size, 160);
  assert.equal(heard.length, 160);
  for (const writer of [0, 1, 2, 3]) {
    const own = numbers().filter((n) => Math.floor(n / 100) === writer);
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
      'in the order of its transactions',
    );
  }
});
