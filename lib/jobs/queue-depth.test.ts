import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { undone } from '../../test/support/undone.ts';
import type { Transaction } from '../database.ts';
import { query, sql, trustedSql } from '../sql.ts';
import { listDeadJobs, reviveDeadJob } from './dead-jobs.ts';
import { readQueueDepth } from './queue-depth.ts';

const { db } = await createTestDatabase();

/** The states of a job: whether it waits, and whether it is dead. */
const STATES = {
  'due now': ['run_at = now()', 'waits'],
  'due for a minute': [`run_at = now() - interval '1 minute'`, 'waits'],
  'due later': [`run_at = now() + interval '1 second'`, ''],
  'being worked on': [`run_at = now() - interval '1 hour', locked_at = now(), locked_by = 'a worker', attempts = 1`, ''],
  'in its last try': [
    `run_at = now() - interval '1 hour', locked_at = now(), locked_by = 'a worker', attempts = max_attempts`,
    '',
  ],
  'failed, and due again': [`run_at = now() - interval '30 seconds', attempts = max_attempts - 1`, 'waits'],
  dead: [`run_at = now() - interval '2 hours', attempts = max_attempts`, 'dead'],
  'dead, and due later': [`run_at = now() + interval '2 hours', attempts = max_attempts`, 'dead'],
} as const;
const NAMES = Object.keys(STATES) as (keyof typeof STATES)[];

/** Adds jobs of one task in these states. @returns their ids. */
async function addJobs(tx: Transaction, task: string, states: readonly (keyof typeof STATES)[]): Promise<number[]> {
  const ids: number[] = [];
  for (const state of states) {
    const [job] = await query<{ id: number }>(
      tx,
      sql`select (graphile_worker.add_job(${task}, payload := '{"delivery_id": 7}')).id`,
    );
    await query(tx, sql`update graphile_worker._private_jobs set ${trustedSql(STATES[state][0])} where id = ${job?.id ?? 0}`);
    ids.push(job?.id ?? 0);
  }
  return ids;
}

test('[METRIC-1] a job waits while it is due and no worker has it, and is dead when its tries are used up', async () => {
  await undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    for (const state of NAMES) await addJobs(tx, `task that is ${state}`, [state]);
    await addJobs(tx, 'task with all', NAMES);
    const depths = new Map((await readQueueDepth(tx)).map((depth) => [depth.task, depth]));
    const oldest: Record<string, number> = { 'due for a minute': 60, 'failed, and due again': 30 };
    for (const state of NAMES) {
      const { waiting, dead, oldest_seconds } = depths.get(`task that is ${state}`) ?? assert.fail(state);
      const kind = STATES[state][1];
      assert.deepEqual(
        [waiting, dead, oldest_seconds],
        [Number(kind === 'waits'), Number(kind === 'dead'), oldest[state] ?? 0],
        state,
      );
    }
    assert.deepEqual(depths.get('task with all'), { task: 'task with all', waiting: 3, dead: 2, oldest_seconds: 60 });
  });
});

test('[NOTIFY-12] the jobs that are listed as dead are those that can be started again, with all their tries and only once', async () => {
  await undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    const ids = await addJobs(tx, 'a task', NAMES);
    const dead = ids.filter((_, at) => STATES[NAMES[at] ?? 'dead'][1] === 'dead');
    assert.deepEqual(
      (await listDeadJobs(tx)).map(({ id, task, delivery_id }) => ({ id, task, delivery_id })),
      dead.toReversed().map((id) => ({ id, task: 'a task', delivery_id: 7 })),
    );
    const others = () => query(tx, sql`select * from graphile_worker._private_jobs where id <> all(${dead}) order by id`);
    const before = await others();
    const revived = [];
    for (const id of ids) if (await reviveDeadJob(tx, id)) revived.push(id);
    assert.deepEqual(revived, dead);
    assert.deepEqual(await others(), before, 'nothing else was started again');
    const jobs = await query<{ attempts: number; due: boolean }>(
      tx,
      sql`select attempts, run_at <= now() as due from graphile_worker._private_jobs where id = any(${dead})`,
    );
    assert.deepEqual(jobs, [
      { attempts: 0, due: true },
      { attempts: 0, due: true },
    ]);
    assert.equal(await reviveDeadJob(tx, dead[0] ?? 0), false, 'it is not dead anymore');
  });
});

test('[NOTIFY-12] the newest hundred dead jobs are listed, without their payloads, and with the beginning of their errors', async () => {
  await undone(db, async (tx) => {
    await query(tx, sql`delete from graphile_worker._private_jobs`);
    await query(tx, sql`select graphile_worker.add_job('a task', payload := '{"secret": "x"}') from generate_series(1, 101)`);
    await query(tx, sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = repeat('e', 600)`);
    const [{ last } = { last: 0 }] = await query<{ last: number }>(
      tx,
      sql`select max(id) as last from graphile_worker._private_jobs`,
    );
    const jobs = await listDeadJobs(tx);
    assert.deepEqual([jobs.length, jobs[0]?.id, jobs[0]?.delivery_id, jobs[0]?.last_error], [100, last, null, 'e'.repeat(500)]);
    assert.doesNotMatch(JSON.stringify(jobs), /secret/);
  });
});
