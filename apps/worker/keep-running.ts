import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Runner, WorkerEvents } from 'graphile-worker';

export interface SteadyRunner {
  /** The names of its workers in the queue, including those of replaced runners that are still finishing jobs. */
  workerIds(): readonly string[];
  /** False while the connection to the queue is lost, and while it stops. */
  takesJobs(): boolean;
  stop(): Promise<void>;
}

export interface RunnerSignals {
  events: WorkerEvents;
  /** Must be called whenever the runner could not reach the queue. */
  onLost: () => void;
}

interface Running {
  runner: Runner;
  workerIds: readonly string[];
  /** Settles when the runner has lost the queue or has ended. */
  lost: Promise<void>;
  /** Settles when the runner was stopped and its last job has ended. */
  idle: Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The results of the last jobs have been reported by then; a statement does not wait longer for a lock either. */
const LAST_REPORTS_WITHIN_MS = 5000;

/**
 * Runs graphile-worker and replaces the runner after any failure to reach the queue. This is needed because graphile-worker stops
 * for good when it cannot report that a job is done, never takes a job when its first look at the tasks failed, and does not know
 * about jobs that it was assigned in a lost answer.
 * The replacement has other worker names. The old runner finishes the jobs it knows about; other jobs assigned to it become free
 * when its heartbeats end. Waiting for it to end has a time limit: once a report has failed, graphile-worker miscounts the
 * reports under way (in its `batch`; its issue 636 is similar) and never ends.
 * @returns once it runs.
 * @throws the error of the first start, unless the database was unavailable.
 */
export async function keepRunning(log: Log, start: (signals: RunnerSignals) => Promise<Runner>): Promise<SteadyRunner> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ending = new Map<Promise<void>, readonly string[]>();
  let current: Running | null = null;

  async function startOnce(): Promise<void> {
    const workerIds: string[] = [];
    const lost = Promise.withResolvers<void>();
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => workerIds.push(workerPool.id));
    const idle = whenIdle(events);
    const runner = await start({ events, onLost: () => lost.resolve() });
    runner.promise.catch((err) => log.warn({ err }, 'the worker lost its connection to the queue')).then(() => lost.resolve());
    current = { runner, workerIds, lost: lost.promise, idle };
  }

  async function startAgain(wait: number): Promise<void> {
    await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      await startOnce();
    } catch (err) {
      log.warn({ err }, 'the worker cannot take jobs yet');
      return startAgain(Math.min(wait * 2, LONGEST_WAIT_MS));
    }
  }

  /** The runner finishes its jobs, and its workers count as alive until it has. */
  function stopRunner({ runner, workerIds, idle }: Running): void {
    current = null;
    const stopped = runner
      .stop()
      .catch(() => {})
      .then(() => runner.promise)
      .catch(() => {});
    const lastReports = idle.then(() => sleep(LAST_REPORTS_WITHIN_MS, undefined, { ref: false }));
    const ended = Promise.race([stopped, lastReports]).then(() => void ending.delete(ended));
    ending.set(ended, workerIds);
  }

  async function replaceLostRunners(): Promise<void> {
    while (!signal.aborted) {
      if (current !== null) {
        await current.lost;
        if (current !== null) stopRunner(current);
      }
      await startAgain(FIRST_WAIT_MS);
    }
  }

  try {
    await startOnce();
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    log.warn({ err: error }, 'the worker cannot take jobs yet');
    await startAgain(FIRST_WAIT_MS);
  }
  const replacing = replaceLostRunners();
  return {
    takesJobs: () => current !== null,
    workerIds: () => [...(current?.workerIds ?? []), ...[...ending.values()].flat()],
    async stop() {
      stopping.abort();
      if (current !== null) stopRunner(current);
      await replacing;
      if (current !== null) stopRunner(current);
      await Promise.all(ending.keys());
    },
  };
}

/** Settles when a stopping runner has no workers left; each worker ends with its job. */
function whenIdle(events: WorkerEvents): Promise<void> {
  const idle = Promise.withResolvers<void>();
  const working = new Set<string>();
  events.on('worker:create', ({ worker }) => working.add(worker.workerId));
  events.on('worker:stop', ({ worker }) => {
    working.delete(worker.workerId);
    if (working.size === 0) idle.resolve();
  });
  return idle.promise;
}
