import type { Log } from '@case-platform/lib/log';
import { Logger, type Runner, type RunOnceOptions, run, runOnce, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import { schedule } from './schedule.ts';
import { createTasks, type WorkerContext } from './tasks.ts';

interface WorkerOptions {
  pool: pg.Pool;
  context: WorkerContext;
  log: Log;
}

/** Jobs at the same time: mostly waiting for providers, so that one that hangs does not hold up the others. */
const CONCURRENCY = 10;

/** Works until stopped. A job that was taken by a process that died is taken again after graphile-worker's lease. */
export function startWorker({ pool, context, log }: WorkerOptions): Promise<Runner> {
  return run({ ...options({ pool, context, log }), concurrency: CONCURRENCY, pollInterval: 1000, crontab: schedule });
}

const IS_LEFT = 'select from graphile_worker.jobs where run_at <= now() and attempts = 0 limit 1';

/**
 * Works until nothing is left that is due: for tests. graphile-worker lets go of a queue a moment after its job has ended, and
 * would otherwise stop with the queue's next job still waiting.
 */
export async function workUntilIdle({ pool, context, log }: WorkerOptions): Promise<void> {
  do await runOnce(options({ pool, context, log }));
  while ((await pool.query(IS_LEFT)).rows.length > 0);
}

function options({ pool, context, log }: WorkerOptions): RunOnceOptions & { taskList: TaskList } {
  const tasks = createTasks(context);
  const taskList: TaskList = {};
  for (const [name, task] of Object.entries(tasks)) {
    taskList[name] = (payload, { job }) =>
      (task as (payload: unknown, attempt: { lastAttempt: boolean }) => Promise<void>)(payload, {
        lastAttempt: job.attempts >= job.max_attempts,
      });
  }
  return { pgPool: pool, taskList, noHandleSignals: true, logger: toLogger(log) };
}

function toLogger(log: Log): Logger {
  return new Logger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    const entry = { task: taskIdentifier, job: jobId, err: meta?.error };
    if (level === 'error') log.error(entry, message);
    else if (level === 'warning') log.warn(entry, message);
    else log.debug(entry, message);
  });
}
