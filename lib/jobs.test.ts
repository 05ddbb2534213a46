import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';
import { undone } from '../test/support/undone.ts';
import { queueIsReady } from './database/readiness-checks.ts';
import type { Transaction } from './database.ts';
import { delayRetry, enqueue, enqueueAll, openPayload, RetryLaterError, WaitError } from './jobs.ts';
import { runInRequest } from './request-context.ts';
import { query, sql, trustedSql } from './sql.ts';

const { db, url } = await createTestDatabase();

interface Call {
  payload: object;
  key?: string;
  due?: string;
  tries?: number;
  queue?: string;
  keepsRunAt?: boolean;
}

type Add = (tx: Transaction, call: Call) => Promise<unknown>;

const ours: Add = (tx, { payload, key, due = null, tries = 12, queue = null, keepsRunAt = false }) =>
  query(
    tx,
    sql`select queue_jobs('remind_of_closing', ${JSON.stringify([{ payload, key }])}::json, ${due}::timestamptz, ${tries}::int,
                          ${queue}, ${keepsRunAt})`,
  );
const theirs: Add = (tx, { payload, key = null, due = null, tries = 12, queue = null, keepsRunAt = false }) =>
  query(
    tx,
    sql`select graphile_worker.add_job('remind_of_closing', payload := ${JSON.stringify(payload)}::json, queue_name := ${queue},
               run_at := ${due}::timestamptz, max_attempts := ${tries}::int, job_key := ${key},
               job_key_mode := ${keepsRunAt ? 'preserve_run_at' : 'replace'})`,
  );

/** Changes of the jobs between two calls. */
const MEANWHILE: Record<string, string> = {
  'it waits': '',
  'it runs': "locked_at = now(), locked_by = 'a worker', attempts = 1",
  'it failed once': "attempts = 1, last_error = 'no', run_at = now() + interval '5 minutes'",
  'it failed for good': "attempts = max_attempts, last_error = 'no'",
  'its options were changed': "priority = 3, flags = '{}'",
};
const CALLS: Record<string, Call[]> = {
  'without a key': [{ payload: { n: 1 } }, { payload: { n: 2 } }],
  'with a key': [
    { payload: { n: 1 }, key: 'k' },
    { payload: { n: 2 }, key: 'k' },
  ],
  'with another key': [
    { payload: { n: 1 }, key: 'k' },
    { payload: { n: 2 }, key: 'other' },
  ],
  'later, then now': [
    { payload: { n: 1 }, key: 'k', due: '2100-01-01' },
    { payload: { n: 2 }, key: 'k' },
  ],
  'later, then at another time, keeping the first': [
    { payload: { n: 1 }, key: 'k', due: '2100-01-01', keepsRunAt: true },
    { payload: { n: 2 }, key: 'k', due: '2100-02-02', keepsRunAt: true },
  ],
  'in a queue, with fewer tries': [
    { payload: { n: 1 }, key: 'k', queue: 'one', tries: 3 },
    { payload: { n: 2 }, key: 'k', queue: 'two', tries: 4 },
  ],
};

async function jobsAfter(add: Add, calls: Call[], change: string): Promise<unknown[]> {
  return undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    for (const [at, call] of calls.entries()) {
      if (at > 0 && change !== '') await query(tx, sql`update graphile_worker._private_jobs set ${trustedSql(change)}`);
      await add(tx, call);
    }
    return query(
      tx,
      sql`select to_jsonb(j) - '{id,task_id,job_queue_id}'::text[] as job, t.identifier, q.queue_name
            from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
            left join graphile_worker._private_job_queues q on q.id = j.job_queue_id order by j.id`,
    );
  });
}

for (const [name, calls] of Object.entries(CALLS)) {
  for (const [meanwhile, change] of Object.entries(MEANWHILE)) {
    test(`[SCALE-2] a job ${name} is queued as graphile-worker queues it, if ${meanwhile}`, async () => {
      const [own, expected] = [await jobsAfter(ours, calls, change), await jobsAfter(theirs, calls, change)];
      // All of a transaction's times are equal, but differ between two transactions.
      const plain = (jobs: unknown[]) => JSON.stringify(jobs).replaceAll(/"20[23]\d-[^"]+"/g, '"NOW"');
      assert.equal(plain(own), plain(expected));
      assert.ok(own.length > 0);
    });
  }
}

test('[SCALE-2, NOTIFY-12] jobs that are added one by one or together have the same tries, time, keys, and request', async () => {
  await undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    const runAt = new Date('2100-01-01T00:00:00Z');
    const request = { request_id: 'request-1' };
    const keys = (n: number) => ({ keys: [String(n)] });
    await runInRequest(request, async () => {
      await enqueue(tx, 'delete_objects', keys(1));
      await enqueue(tx, 'delete_objects', keys(2), { runAt, maxAttempts: 3, jobKey: 'one' });
      await enqueueAll(tx, 'delete_objects', [keys(3), keys(4)]);
      await enqueueAll(tx, 'delete_objects', [keys(5), keys(6)], {
        runAt,
        maxAttempts: 3,
        jobKeyOf: (payload) => `many ${payload.keys[0]}`,
      });
      await enqueueAll(tx, 'delete_objects', []);
    });
    const jobs = await query<{ payload: unknown; key: string | null; max_attempts: number; run_at: Date; is_due: boolean }>(
      tx,
      sql`select payload, key, max_attempts, run_at, run_at <= now() as is_due from graphile_worker._private_jobs order by id`,
    );
    assert.deepEqual(
      jobs.map(({ payload, key, max_attempts, run_at, is_due }) => [
        openPayload(payload),
        key,
        max_attempts,
        is_due ? 'now' : run_at,
      ]),
      [1, 2, 3, 4, 5, 6].map((n) => [
        { payload: keys(n), request },
        { 2: 'one', 5: 'many 5', 6: 'many 6' }[n] ?? null,
        n === 2 || n > 4 ? 3 : 12,
        n === 2 || n > 4 ? runAt : 'now',
      ]),
    );
    for (const stored of [null, 7, { n: 1 }]) assert.deepEqual(openPayload(stored), { payload: stored, request: undefined });
  });
});

test('[METRIC-4] each of many jobs has the request that caused it, or none, and not the one that adds them', async () => {
  await undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    const requests = [{ request_id: 'request-1' }, undefined, { request_id: 'request-3' }];
    const payloads = requests.map((_, at) => ({ keys: [String(at)] }));
    await runInRequest({ request_id: 'of the caller' }, () => enqueueAll(tx, 'delete_objects', payloads, { requests }));
    const jobs = await query<{ payload: unknown }>(tx, sql`select payload from graphile_worker._private_jobs order by id`);
    assert.deepEqual(
      jobs.map(({ payload }) => openPayload(payload)),
      payloads.map((payload, at) => ({ payload, request: requests[at] })),
    );
  });
});

test('[HEALTH-1] the queue is ready while it has its jobs and the function that adds them', async () => {
  // Only the owner of the queue's schema changes it.
  const client = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
  await client.connect();
  const isReady = queueIsReady(client as never);
  for (const away of [
    'alter table graphile_worker._private_jobs rename to jobs_away',
    'alter function graphile_worker.add_job rename to add_job_away',
  ]) {
    await isReady();
    await client.query('begin');
    await client.query(away);
    await assert.rejects(isReady(), /schema is missing/, away);
    await client.query('rollback');
  }
  await client.end();
});

test('[NOTIFY-12] a delayed job waits for its seconds, and a try that only waited for a process of ours does not count', async () => {
  await undone(db, async (tx) => {
    for (const [error, attempts, expected] of [
      [new RetryLaterError('later', 90), 3, 3],
      [new WaitError('down', 90), 3, 2],
      [new WaitError('down', 90), 0, 0],
    ] as const) {
      const [job] = await query<{ id: string }>(tx, sql`select (graphile_worker.add_job('a task')).id::text`);
      const id = job?.id ?? '';
      await query(tx, sql`update graphile_worker._private_jobs set attempts = ${attempts} where id = ${id}`);
      await delayRetry(tx, id, error);
      const state = sql`select attempts, extract(epoch from run_at - now())::int as wait from graphile_worker._private_jobs where id = ${id}`;
      assert.deepEqual(await query(tx, state), [{ attempts: expected, wait: 90 }], error.name);
    }
  });
});
