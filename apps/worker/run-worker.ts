import { setTimeout as sleep } from 'node:timers/promises';
import { delayRetry, openPayload, RetryLaterError, type TaskName } from '@case-platform/lib/jobs';
import { returnJobs, startHeartbeat } from '@case-platform/lib/jobs/worker-heartbeat';
import type { Log } from '@case-platform/lib/log';
import { type RequestContext, runInRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import type { Tracing } from '@case-platform/lib/tracing/tracing';
import { Logger, type RunOnceOptions, run, runOnce, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import { ignoreOtherSignals } from './ignore-other-signals.ts';
import { keepRunning } from './keep-running.ts';
import { schedule } from './schedule.ts';
import { createTasks, type WorkerContext } from './tasks.ts';

interface WorkerOptions {
  pool: pg.Pool;
  context: WorkerContext;
  log: Log;
  tracing?: Tracing | undefined;
  /** Time for jobs to finish when the worker is stopped; its process gets one more second (lib/process.ts). */
  finishWithinMs?: number;
}

interface Working {
  /** False unless every channel takes jobs. */
  takesJobs(): boolean;
  /** Stops taking jobs, and finishes the current ones or returns them to the queue. The process must end afterward. */
  stop(): Promise<void>;
}

const FINISH_WITHIN_MS = 8000;

/**
 * Workers per channel. Jobs that call a provider or the API, or read a stranger's picture, have their own workers, so that one that hangs
 * delays only its own channel. They mostly wait: for the provider, or for one of the few picture processes.
 */
const CHANNELS = {
  announce_message: 24,
  clean_picture: 8,
  deliver_email: 8,
  mail_password_reset: 4,
  deliver_sms: 4,
  deliver_push: 16,
  post_platform_push: 4,
} as const satisfies Partial<Record<TaskName, number>>;
const CONCURRENCY = 8;
/** Jobs that end within this time are reported in one statement. */
const REPORTS = { completeJobBatchDelay: 10, failJobBatchDelay: 10 };

/** Works until stopped. Jobs of a process that died are taken again within seconds (see startHeartbeat). */
export async function startWorker(options: WorkerOptions): Promise<Working> {
  const { pool, log, finishWithinMs = FINISH_WITHIN_MS } = options;
  const { taskList: all, ...shared } = toRunOptions(options);
  const start = (taskList: TaskList, concurrency: number, crontab = '', preset = inBatches(concurrency)) =>
    keepRunning(log, ({ events, onLost }) => {
      ignoreOtherSignals(events, Object.keys(taskList));
      return run({
        ...shared,
        taskList,
        concurrency,
        crontab,
        events,
        pollInterval: 1000,
        preset,
        logger: toLogger(log, onLost),
      });
    });
  const rest = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(CHANNELS, name)));
  const runners = await Promise.all([
    start(rest, CONCURRENCY, schedule),
    ...Object.entries(CHANNELS).map(([name, many]) => start({ [name]: all[name] ?? (() => {}) }, many, '', inBatches(many))),
  ]);
  const workerIds = () => runners.flatMap((runner) => runner.workerIds());
  const heartbeat = startHeartbeat({
    pool,
    workerIds,
    onError: (err) => log.warn({ err }, 'the worker could not write its heartbeat'),
  });
  return {
    takesJobs: () => runners.every((runner) => runner.takesJobs()),
    async stop() {
      const finish = new AbortController();
      const finished = Promise.all(runners.map((runner) => runner.stop())).then(() => finish.abort());
      await Promise.race([finished, sleep(finishWithinMs, undefined, { signal: finish.signal }).catch(() => {})]);
      if (!finish.signal.aborted) {
        await returnJobs(pool, workerIds()).then(
          (jobs) => log.warn({ jobs }, 'jobs that did not finish in time were returned to the queue'),
          // Other workers take them within seconds, as they do after a kill.
          (err) => log.warn({ err }, 'jobs that did not finish in time could not be returned to the queue'),
        );
      }
      await heartbeat.stop();
    },
  };
}

/**
 * Takes and reports several jobs in one statement, instead of one statement for each job, and one by every idle worker for each
 * job added. Jobs that wait behind others that hang go back to the queue for another process. A batch has at most one job of each
 * named queue, so one person's pictures do not fill all workers (PICTURE-4).
 *
 * Batches are also needed when the connection fails: without a local queue, a job whose assignment was lost with its answer stays
 * assigned, and without batched reports, a single failed report is an unhandled rejection, which ends the process.
 */
function inBatches(size: number): GraphileConfig.Preset {
  return { worker: { localQueue: { size, ttl: 15_000 }, ...REPORTS } };
}

const IS_LEFT = sql`
  select from graphile_worker.jobs where run_at <= now() and (attempts < max_attempts or locked_at is not null) limit 1`;

/**
 * For tests: works until no job is due or running. One pass is not enough: graphile-worker reports a result and releases the
 * named queue a moment after it stops, so the next job of that queue would be left, and a last failure would not be visible.
 */
export async function workUntilIdle(options: WorkerOptions): Promise<void> {
  do await runOnce(toRunOptions(options));
  while ((await query(options.pool, IS_LEFT)).length > 0);
}

function toRunOptions({ pool, context, log, tracing }: WorkerOptions): RunOnceOptions & { taskList: TaskList } {
  const tasks = createTasks(context);
  const taskList: TaskList = {};
  for (const [name, task] of Object.entries(tasks)) {
    const run = task as (payload: unknown, attempt: { lastAttempt: boolean }) => Promise<void>;
    taskList[name] = (stored, { job }) => {
      const { payload, request } = openPayload(stored);
      const work = async () => {
        try {
          await run(payload, { lastAttempt: job.attempts >= job.max_attempts });
        } catch (error) {
          if (error instanceof RetryLaterError) await delayRetry(pool, job.id, error);
          throw error;
        }
      };
      return tracing === undefined ? runInRequest(request, work) : tracedJob(tracing, { name, request, work });
    };
  }
  return { pgPool: releasedOnce(pool), taskList, noHandleSignals: true, logger: toLogger(log) };
}

interface Job {
  name: string;
  request: RequestContext | undefined;
  work: () => Promise<void>;
}

/** The span belongs to the trace of the request that queued the job, or to a new one. */
async function tracedJob(tracing: Tracing, { name, request, work }: Job): Promise<void> {
  const span = tracing.begin('consumer', request?.traceparent);
  let failed = true;
  try {
    await runInRequest(request && { ...request, traceparent: span.traceparent }, work);
    failed = false;
  } finally {
    span.end({ name, failed, attributes: { 'messaging.operation.name': name, request_id: request?.request_id } });
  }
}

/**
 * The pool, with `release` made idempotent: a graphile-worker that stops while it loses its listening connection releases that
 * connection twice, and the pool would throw into an unhandled promise.
 */
function releasedOnce(pool: pg.Pool): pg.Pool {
  type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;
  const connect = (callback?: (...connected: Connected) => void) => {
    if (callback === undefined) return pool.connect();
    pool.connect((err, client, release) => {
      // The pool has ended, so there is no client to release.
      if (client === undefined) return callback(err, client, release);
      let isReleased = false;
      callback(err, client, (broken) => {
        if (!isReleased) release(broken);
        isReleased = true;
      });
    });
  };
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * @param onLost called for every error that does not belong to a job: graphile-worker reports that it could not reach the queue
 * only in its log.
 */
function toLogger(log: Log, onLost = () => {}): Logger {
  return new Logger(({ workerId, taskIdentifier, jobId }) => (level, message, meta) => {
    if (level === 'error' && workerId === undefined) onLost();
    const entry = { task: taskIdentifier, job: jobId, err: meta?.error };
    if (level === 'error') log.error(entry, message);
    else if (level === 'warning') log.warn(entry, message);
    else log.debug(entry, message);
  });
}
