import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import { enqueue, type TaskName } from '@case-platform/lib/jobs';
import { startHeartbeat } from '@case-platform/lib/jobs/worker-heartbeat';
import type { Tracing } from '@case-platform/lib/tracing/tracing';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { startWorker, workUntilIdle } from '../../apps/worker/run-worker.ts';
import { schedule } from '../../apps/worker/schedule.ts';
import { createTasks, type WorkerContext } from '../../apps/worker/tasks.ts';
import { createTestDatabase, TEMPLATE } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { quietLog, startApi, TEST_VAPID } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

const sink = await startSink();
// As many connections as the worker's process has (POOL_SIZES), because each channel listens on its own.
const api = await startApi({ database: await createTestDatabase(TEMPLATE, { connections: POOL_SIZES.worker }) });
const { parent, escrow } = await api.everyone();

const mailed: string[] = [];
const email: EmailProvider = {
  name: 'mailpit',
  async send({ to }) {
    mailed.push(to);
    return 'mail';
  },
};
/** Resolves once this many mails were sent. */
const mails = (count: number) => eventually(`${count} mails`, () => mailed.length >= count);
const context: WorkerContext = {
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
};

describe('[LAYER-6] channels do not wait for each other', () => {
  test('[LAYER-6] while every push hangs, mails are sent, and requests are answered', async () => {
    for (let device = 0; device < 16; device += 1) {
      const endpoint = `${sink.origin}/hang-${device}`;
      sink.answers.set(`/hang-${device}`, 'hang');
      await escrow.post('/api/notifications/subscribe', { enabled: true, endpoint, keys: new PushDevice().keys });
    }
    for (let message = 0; message < 3; message += 1) await parent.form('/api/messages', { message: 'x' });
    const worker = await startWorker({ pool: api.pool, log: quietLog, context });
    await sink.arrived(16);
    await parent.form('/api/messages', { message: 'after all workers of the channel hang' });
    await mails(4);
    const { rows } = await api.pool.query("select 1 from delivery where channel = 'push' and state = 'sent'");
    assert.equal(rows.length, 0);
    for (const path of sink.answers.keys()) sink.answers.set(path, 410);
    sink.release();
    await worker.stop();
  });
});

/** Each channel listens on a connection of its own, so each can lose the queue while the others take jobs. */
test('[HEALTH-1, LAYER-6] a worker takes no jobs while any one of its channels has lost the queue', async () => {
  const listening = async () => {
    const { rows } = await api.pool.query(
      `select pid from pg_stat_activity where datname = current_database() and query ~* '^ *listen "jobs:insert"' order by pid`,
    );
    return rows.map(({ pid }) => pid as number);
  };
  const worker = await startWorker({ pool: api.pool, log: quietLog, context });
  const pids = await eventually('the eight channels listen', async () => {
    const all = await listening();
    return all.length === 8 && all;
  });
  for (const [at, pid] of pids.entries()) {
    assert.equal(worker.takesJobs(), true, `before channel ${at} is lost`);
    await api.pool.query('select pg_terminate_backend($1)', [pid]);
    await eventually(`the loss of channel ${at} is noticed`, () => !worker.takesJobs());
    await eventually(`channel ${at} is back`, () => worker.takesJobs());
  }
  await worker.stop();
  assert.equal(worker.takesJobs(), false);
});

describe('the queue', () => {
  test('[NOTIFY-12] every declared task has a function, and everything that waits has a worker', async () => {
    const declared = ALL_TASKS.toSorted();
    assert.deepEqual(Object.keys(createTasks(context)).sort(), declared);
    const { rows } = await api.pool.query('select distinct task_identifier as name from graphile_worker.jobs');
    for (const { name } of rows) assert.ok(declared.includes(name), name);
    const scheduled = schedule.split('\n').map((line) => line.split(' ')[5] as TaskName);
    for (const name of scheduled) assert.ok(declared.includes(name), name);
    // A task without a payload concerns no particular person, so only the schedule can start it.
    for (const [name, task] of Object.entries(createTasks(context)))
      if (task.length === 0) assert.ok(scheduled.includes(name as TaskName), name);
    for (const name of ['reassign_approvals', 'move_dates'] as const) assert.ok(scheduled.includes(name), name);
  });

  test('[RETAIN-1] regular tasks run as often as they should', () => {
    const often = {
      index_words: '* * * * *',
      reassign_chains: '*/10 * * * *',
      reassign_approvals: '*/10 * * * *',
      move_dates: '4 * * * *',
      sweep_objects: '23 */4 * * *',
    };
    const daily = ['remind_of_closing', 'warn_of_shortfalls', 'remove_old_rows'];
    const lines = new Map(schedule.split('\n').map((line) => [line.split(' ')[5] ?? '', line]));
    assert.deepEqual([...lines.keys()].sort(), [...Object.keys(often), ...daily].sort());
    for (const [task, times] of Object.entries(often)) assert.ok(lines.get(task)?.startsWith(`${times} `), task);
    for (const task of daily) {
      assert.match(lines.get(task) ?? '', /^\d+ \d+ \* \* \* /, task);
      assert.match(lines.get(task) ?? '', / \?fill=1d$/, `${task} runs after an outage that it missed`);
    }
  });

  test('[NOTIFY-12] a job that always fails ends dead, and the others continue', async () => {
    await api.pool.query('delete from graphile_worker._private_jobs');
    const before = mailed.length;
    await api.db.transaction(async (tx) => {
      const poison = { delivery_id: 1, to: 'x', subject: 'x', template_name: 'message_alert.html' as const };
      await enqueue(tx, 'announce_message', { message_id: 'no number' as unknown as number }, { maxAttempts: 1 });
      await enqueue(tx, 'deliver_email', { ...poison, template_context: {} }, { maxAttempts: 1 });
    });
    await parent.form('/api/messages', { message: 'x' });
    await api.work({ email });
    assert.equal(mailed.length, before + 1);
    const { rows } = await api.pool.query(
      'select task_identifier as task, attempts, max_attempts from graphile_worker.jobs order by id',
    );
    assert.deepEqual(rows, [{ task: 'announce_message', attempts: 1, max_attempts: 1 }]);
  });

  test('[NOTIFY-12, METRIC-4] only the last try of a job gives up its delivery, which ends without a failure', async () => {
    await api.pool.query('delete from graphile_worker._private_jobs');
    await parent.form('/api/messages', { message: 'x' });
    const spans = new Map<string, boolean[]>();
    const tracing: Tracing = {
      begin: () => ({
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        end: ({ name, failed }) => spans.set(name, [...(spans.get(name) ?? []), failed]),
      }),
      async stop() {},
    };
    const send = () => Promise.reject(new Error('Mailpit answered 500.'));
    const failing = { ...context, email: { name: 'mailpit', send } as EmailProvider };
    const work = () => workUntilIdle({ pool: api.pool, log: quietLog, context: failing, tracing });
    const states = async () => {
      await work();
      const { rows } = await api.pool.query("select state from delivery where channel = 'email' order by id desc limit 1");
      await api.pool.query('update graphile_worker._private_jobs set max_attempts = attempts + 1, run_at = now()');
      return rows[0]?.state;
    };
    assert.deepEqual([await states(), await states()], ['queued', 'failed']);
    // Staff retry the delivery itself, so the last try is no failure of its job.
    assert.deepEqual([spans.get('announce_message'), spans.get('deliver_email')], [[false], [true, false]]);
    await api.pool.query('delete from graphile_worker._private_jobs');
  });

  /** graphile-worker sends the report without waiting for it. */
  test('[NOTIFY-12] a worker that runs until nothing is left reports the last failure', async () => {
    await api.pool.query('delete from graphile_worker._private_jobs');
    await parent.form('/api/messages', { message: 'x' });
    const holder = await api.pool.connect();
    const looksAgain = Promise.withResolvers<string>();
    let looks: number | null = null;
    const failing: EmailProvider = {
      name: 'mailpit',
      async send() {
        await holder.query('update graphile_worker._private_jobs set max_attempts = 1');
        await holder.query('begin');
        await holder.query('select from graphile_worker._private_jobs where locked_at is not null for update');
        looks = 0;
        throw new Error('Mailpit answered 500.');
      },
    };
    const query = ((...args: Parameters<typeof api.pool.query>) => {
      if (looks !== null && JSON.stringify(args).includes('attempts < max_attempts')) looks += 1;
      if (looks === 2) looksAgain.resolve('looks again');
      return api.pool.query(...args);
    }) as typeof api.pool.query;
    const pool = new Proxy(api.pool, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
    const worked = workUntilIdle({ pool, log: quietLog, context: { ...context, email: failing } });
    const first = await Promise.race([worked.then(() => 'has stopped'), looksAgain.promise]);
    await holder.query('commit');
    holder.release();
    assert.equal(first, 'looks again');
    await worked;
    const { rows } = await api.pool.query('select attempts, locked_at, last_error from graphile_worker.jobs');
    assert.deepEqual(rows, [{ attempts: 1, locked_at: null, last_error: 'Mailpit answered 500.' }]);
  });

  test('[NOTIFY-12] a repeated job replaces the waiting one, and delays it only where it does not keep its time', async () => {
    const [first, later] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000)) as [Date, Date];
    for (const [keepsRunAt, expected] of [[true, first] as const, [false, later] as const]) {
      const jobKey = `of a test: ${keepsRunAt}`;
      for (const [runAt, user_id] of [[first, 1] as const, [later, 2] as const])
        await enqueue(api.db, 'email_gathered', { chain_id: 1, user_id }, { jobKey, keepsRunAt, runAt });
      const { rows } = await api.pool.query('select run_at, payload from graphile_worker._private_jobs where key = $1', [jobKey]);
      assert.deepEqual(rows, [{ run_at: expected, payload: { chain_id: 1, user_id: 2 } }]);
    }
    await api.pool.query(`delete from graphile_worker._private_jobs where key like 'of a test: %'`);
  });

  test('[NOTIFY-12] a worker that starts and ends records its own life, and removes only records that are long outdated', async () => {
    await api.pool.query(
      `insert into worker_heartbeat (worker_id, seen_at)
       values ('elsewhere', now()), ('away', now() - interval '23 hours'), ('long gone', now() - interval '25 hours')`,
    );
    const list = async () => {
      const { rows } = await api.pool.query('select worker_id from worker_heartbeat order by worker_id');
      return rows.map(({ worker_id }) => worker_id).filter((id) => ['away', 'elsewhere', 'here', 'long gone'].includes(id));
    };
    await enqueue(api.db, 'delete_objects', { keys: [] });
    await api.pool.query(`update graphile_worker._private_jobs set locked_by = 'away', locked_at = now() - interval '1 hour'`);
    const heartbeat = startHeartbeat({
      pool: api.pool,
      workerIds: () => ['here'],
      beatEveryMs: 5,
      deadAfterMs: 60_000,
      onError: (error) => assert.fail(String(error)),
    });
    await eventually('it shows that it is alive', async () => (await list()).includes('here'));
    assert.deepEqual(await list(), ['away', 'elsewhere', 'here']);
    const seen = async () =>
      (await api.pool.query(`select seen_at::text from worker_heartbeat where worker_id = 'here'`)).rows[0].seen_at;
    const first = await seen();
    await eventually('it shows it again', async () => (await seen()) !== first);
    // While the database was away, other workers could not show that they are alive, so each gets that time first.
    assert.equal((await api.pool.query('select locked_by from graphile_worker.jobs')).rows[0].locked_by, 'away');
    await api.pool.query('delete from graphile_worker._private_jobs');
    await heartbeat.stop();
    assert.deepEqual(await list(), ['away', 'elsewhere']);
    await api.pool.query(`delete from worker_heartbeat where worker_id in ('away', 'elsewhere')`);
  });

  test('[NOTIFY-12] jobs of a worker that died are released, and those of a living one are not', async () => {
    await api.pool.query('delete from graphile_worker._private_jobs');
    await api.db.transaction(async (tx) => {
      for (let job = 0; job < 3; job += 1) await enqueue(tx, 'delete_objects', { keys: [] });
    });
    // One job was just taken by a worker that has no heartbeat yet.
    await api.pool.query(
      `update graphile_worker._private_jobs j set attempts = 1, locked_by = w.id,
              locked_at = now() + case w.id when 'new' then interval '1 minute' else interval '-1 minute' end
         from (select id, row_number() over (order by id) as place from graphile_worker._private_jobs) p
         join (values (1, 'dead'), (2, 'living'), (3, 'new')) w (place, id) using (place) where p.id = j.id`,
    );
    await api.pool.query(
      `insert into graphile_worker._private_job_queues (queue_name, locked_by, locked_at)
       select 'of ' || id, id, now() - interval '1 minute' from unnest(array['dead', 'living', 'gone']) id`,
    );
    const isFree = async () => {
      const { rows } = await api.pool.query('select locked_by from graphile_worker.jobs order by id');
      return rows.map(({ locked_by }) => locked_by);
    };
    const heartbeat = startHeartbeat({
      pool: api.pool,
      workerIds: () => ['living'],
      beatEveryMs: 5,
      deadAfterMs: 4000,
      onError: (error) => assert.fail(String(error)),
    });
    after(() => heartbeat.stop());
    await eventually('the job of the dead worker is free', async () => (await isFree())[0] === null);
    assert.deepEqual(await isFree(), [null, 'living', 'new']);
    const { rows: queues } = await api.pool.query(
      `select queue_name, locked_by from graphile_worker._private_job_queues where queue_name like 'of %' order by 1`,
    );
    assert.deepEqual(
      queues.map(({ queue_name, locked_by }) => [queue_name, locked_by]),
      [
        ['of dead', null],
        ['of gone', null],
        ['of living', 'living'],
      ],
    );
    await heartbeat.stop();
    await api.pool.query(`delete from graphile_worker._private_job_queues where queue_name like 'of %'`);
    await api.pool.query('delete from graphile_worker._private_jobs');
  });
});

describe('[PROCESS-2] a worker that is stopped while a job is running', () => {
  /** Starts a worker whose next mail ends when the test decides, and queues a message whose mail is then being sent. */
  async function hold(options: { finishWithinMs?: number } = {}) {
    await api.pool.query('delete from graphile_worker._private_jobs');
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const holding: EmailProvider = {
      name: 'mailpit',
      send() {
        begun.resolve();
        return end.promise;
      },
    };
    const started = { pool: api.pool, log: quietLog, context: { ...context, email: holding }, ...options };
    const worker = await startWorker(started);
    await parent.form('/api/messages', { message: 'x' });
    await begun.promise;
    return { worker, end: () => end.resolve('mail') };
  }
  const waiting = async () => {
    const text = `select attempts, locked_by from graphile_worker._private_jobs j
                    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'deliver_email'`;
    return (await api.pool.query(text)).rows;
  };

  test('[PROCESS-2] the job is finished', async () => {
    const { worker, end } = await hold();
    const stopping = worker.stop();
    assert.equal(worker.takesJobs(), false);
    end();
    await stopping;
    assert.deepEqual(await waiting(), []);
  });

  test('[PROCESS-2] a job that takes too long is given back at once with all its tries, and another worker does it', async () => {
    const { worker } = await hold({ finishWithinMs: 0 });
    await worker.stop();
    assert.deepEqual(await waiting(), [{ attempts: 0, locked_by: null }]);
    const before = mailed.length;
    await api.work({ email });
    assert.equal(mailed.length, before + 1);
  });
});

/** Lists every task. A declared task that is missing here does not compile. */
const TASKS: Record<TaskName, true> = {
  announce_message: true,
  email_gathered: true,
  mail_disbursement: true,
  push_disbursement: true,
  mail_stopped_payments: true,
  mail_moved_dates: true,
  push_moved_dates: true,
  mail_payment_stop: true,
  push_payment_stop: true,
  push_stopped_payments: true,
  mail_pregnancy_funding: true,
  mail_last_scheduled_payment: true,
  mail_name_change: true,
  reassign_approvals: true,
  reassign_chains: true,
  move_dates: true,
  remind_of_closing: true,
  warn_of_shortfalls: true,
  mail_password_reset: true,
  deliver_email: true,
  deliver_sms: true,
  deliver_push: true,
  post_platform_push: true,
  clean_picture: true,
  delete_objects: true,
  sweep_objects: true,
  remove_old_rows: true,
  index_words: true,
};
const ALL_TASKS = Object.keys(TASKS) as TaskName[];
