import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { createPool } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import type { EmailProvider } from '@case-platform/modules/notifications';
import pg from 'pg';
import { startWorker } from '../../apps/worker/run-worker.ts';
import { CAST } from '../support/cast.ts';
import { serverUrl } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { quietLog, startApi, TEST_VAPID } from '../support/platform.ts';

const api = await startApi();
const parent = await api.as('parent');
const server = new pg.Client({ connectionString: serverUrl(new URL(api.url).pathname.slice(1)) });
// The database is dropped before this connection ends.
server.on('error', () => {});
await server.connect();
after(() => server.end());

/** The outcomes of the next mails; later mails are sent. */
const outcomes: ('sent' | 'failed')[] = [];
/** Promises that mails to an address wait for before they are sent. */
const held = new Map<string, Promise<void>>();
const mailedTo: string[] = [];
let mails = 0;
const email: EmailProvider = {
  name: 'mailpit',
  async send({ to }) {
    mailedTo.push(to);
    await held.get(to);
    const outcome = outcomes.shift();
    // The report of how the job ended waits for this lock, so the test can find it waiting.
    if (outcome !== undefined) await server.query('begin; lock table graphile_worker._private_jobs in share mode');
    mails += 1;
    if (outcome === 'failed') throw new Error('the provider is away');
    return 'mail';
  },
};

/** Patterns of the statements that report a job: a finished job is deleted, and a failed one stores its error. */
const REPORT = { sent: 'delete from .*_private_jobs', failed: 'last_error =' };

/** Ends the worker's connections on which a report waits for a lock. Other statements wait, too, such as those that take jobs. */
async function endWaiting(outcome: 'sent' | 'failed'): Promise<void> {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'worker-under-test' and wait_event_type = 'Lock' and query ~ $1`;
  try {
    await eventually('a report waits', async () => {
      // Within a transaction, PostgreSQL repeats the first snapshot of its statistics.
      await server.query('select pg_stat_clear_snapshot()');
      return (await server.query(end, [REPORT[outcome]])).rows.length > 0;
    });
  } finally {
    await server.query('rollback');
  }
}

async function mailed(count: number): Promise<void> {
  await eventually(`mail ${count}`, () => mails >= count);
}

/** Sends a message and waits until all its jobs are done. */
async function sendAndWork(message: string): Promise<void> {
  assert.equal((await parent.form('/api/messages', { message })).status, 201);
  const jobs = 'select from graphile_worker._private_jobs where run_at <= now()';
  const areDone = async () => (await server.query(jobs)).rows.length === 0;
  await eventually('its jobs are done', areDone, 60_000);
}

const openPool = () => createPool({ url: api.url, name: 'worker-under-test', max: 25, onError: () => {} });

/** Runs a worker until the test ends. */
async function work(t: TestContext, pool: pg.Pool): Promise<void> {
  const worker = await startWorker({
    pool,
    log: quietLog,
    context: {
      db: api.db,
      storage: api.storage,
      email,
      sms: null,
      keepsContent: true,
      push: { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false },
      internalApi: { url: 'http://127.0.0.1:1', masterApiKey: '' },
      webUrl: 'http://localhost:3000',
      apiUrl: 'http://localhost:4000',
      adminUrl: 'http://localhost:4001',
    },
  });
  t.after(async () => {
    await worker.stop();
    await pool.end();
  });
}

type Answer = { rows: unknown[] };

/** Runs each statement of the pool through `answer`, which may lose the statement or its result. */
function intercept(pool: pg.Pool, answer: (statement: string, send: () => Promise<Answer>) => Promise<Answer>): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<Answer>;
    Object.assign(client, {
      query: (...args: unknown[]) => answer(JSON.stringify(args), () => query(...args)),
    });
  });
}

const lostConnection = () => new Error('Client has encountered a connection error and is not queryable');

test('[DATABASE-4] a worker that loses its connection while it reports a job, done or failed, continues', async (t) => {
  await work(t, openPool());
  for (const outcome of ['sent', 'failed'] as const) {
    outcomes.push(outcome);
    const before = mails;
    await parent.form('/api/messages', { message: `its mail is ${outcome}` });
    await mailed(before + 1);
    await endWaiting(outcome);
    await sendAndWork('after the connection was lost');
  }
  assert.deepEqual(outcomes, []);
});

test('[DATABASE-4] a worker whose first query for its tasks fails takes jobs', async (t) => {
  const pool = openPool();
  let lost = 0;
  intercept(pool, async (statement, send) => {
    if (lost > 0 || !(statement.includes('_private_tasks') && statement.includes('deliver_email'))) return send();
    lost += 1;
    throw lostConnection();
  });
  await work(t, pool);
  await sendAndWork('the tasks were not found at first');
  assert.equal(lost, 1);
});

test('[DATABASE-4] jobs of every kind of channel whose assignment was lost with the answer are taken again', async (t) => {
  const pool = openPool();
  /** A field of each task's payload: messages are announced, mails are delivered, and pictures are cleaned. */
  const toLose = new Set(['message_id', 'template_name', 'storage_key']);
  intercept(pool, async (statement, send) => {
    const answer = await send();
    if (!statement.includes('skip locked')) return answer;
    const [job] = answer.rows as { payload: object }[];
    const field = Object.keys(job?.payload ?? {}).find((name) => toLose.has(name));
    if (field === undefined) return answer;
    toLose.delete(field);
    throw lostConnection();
  });
  await work(t, pool);
  const picture = { storage_key: 'none', owner: 0 };
  await api.db.transaction((tx) => enqueue(tx, 'clean_picture', picture, { queueName: 'pictures:0' }));
  await sendAndWork('assigned without an answer');
  assert.deepEqual([...toLose], []);
});

test('[DATABASE-4] a job whose report was lost is taken again, although others were reported', async (t) => {
  const pool = openPool();
  const jobOf = `select id from graphile_worker._private_jobs
                  where payload ->> 'email_address' = $1 and payload ->> 'request_id' is not null`;
  const idOf = async (to: string): Promise<number | undefined> => (await server.query(jobOf, [to])).rows[0]?.id;
  let lost = 0;
  let losing: number | undefined;
  intercept(pool, async (statement, send) => {
    if (lost > 0 || losing === undefined || !(statement.includes('complete_job') && statement.includes(`[${losing}]`)))
      return send();
    lost += 1;
    throw lostConnection();
  });
  const names = ['parent', 'surrogate', 'manager', 'owner'] as const;
  const gates = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
  t.after(() => {
    for (const { resolve } of gates.values()) resolve();
  });
  await work(t, pool);
  for (const name of names) {
    const { email_address, user_type } = CAST[name];
    held.set(email_address, gates.get(name)?.promise ?? Promise.resolve());
    await api.anonymous.post('/api/user/auth/password-reset/request', { email_address, user_type });
  }
  await eventually('all are under way', () => names.every((name) => mailedTo.includes(CAST[name].email_address)));
  const [first, ...others] = names.map((name) => ({ to: CAST[name].email_address, end: gates.get(name)?.resolve }));
  assert.ok(first);
  losing = await idOf(first.to);
  assert.ok(losing);
  first.end?.();
  await eventually('its report to be lost', () => lost > 0);
  for (const { to, end } of others) {
    end?.();
    await eventually('the report of another', async () => (await idOf(to)) === undefined);
  }
  await eventually('the first to be taken again', async () => (await idOf(first.to)) === undefined, 60_000);
});

test('[DATABASE-4] a worker that stops listening while its listening connection is lost continues', async (t) => {
  const pool = openPool();
  const stops = Promise.withResolvers<void>();
  let hasStopped = false;
  intercept(pool, async (statement, send) => {
    if (statement.includes('UNLISTEN')) {
      hasStopped = true;
      stops.resolve();
    } else if (statement.includes('LISTEN') && !hasStopped) {
      await stops.promise;
      throw lostConnection();
      // A worker that cannot take jobs is replaced, eventually by one that is about to listen.
    } else if (statement.includes('skip locked') && !hasStopped) throw lostConnection();
    return send();
  });
  await work(t, pool);
  await stops.promise;
  await sendAndWork('it listens again');
});

test('[DATABASE-4] a worker whose connections are all ended, idle or not, takes jobs again', async (t) => {
  await work(t, openPool());
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'worker-under-test'`;
  for (let time = 0; time < 5; time += 1) {
    await eventually('a connection to end', async () => (await server.query(end)).rows.length > 0);
    await sendAndWork('after all connections were lost');
  }
});
