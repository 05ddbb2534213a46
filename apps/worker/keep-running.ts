import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Runner, WorkerEvents } from 'graphile-worker';

export interface SteadyRunner {
  /** What its workers are called in the queue now, and what those before it are called that still end their jobs. */
  workerIds(): readonly string[];
  /** Whether it takes jobs: not while the queue is lost, and not while it stops. */
  takesJobs(): boolean;
  stop(): Promise<void>;
}

/** What a runner is started with. */
export interface RunnerSignals {
  events: WorkerEvents;
  /** To be called when it could not talk to the queue. */
  onLost: () => void;
}

interface Running {
  runner: Runner;
  workerIds: readonly string[];
  /** Settles when it has lost the queue, or has ended. */
  lost: Promise<void>;
  /** Settles when it has been stopped and its last job has ended. */
  idle: Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** What its last jobs have to report is out by then; longer than a statement waits for a lock would be for nothing. */
const LAST_REPORTS_WITHIN_MS = 5000;

/**
 * Keeps a runner of the queue running. One that could not talk to the queue, be it once, is replaced: graphile-worker ends
 * one for good when it cannot report that a job is done, takes nothing ever again when the first look at its tasks
 * failed, and knows nothing of jobs that were given to it in an answer that was lost. Another is started under other names;
 * the first ends the jobs that it has, and what it was given beside them is free when its names are no longer heard of.
 * Its own word for having ended is not waited for without a limit: graphile-worker counts the reports that are under way
 * wrongly once one of them has failed (its `batch`; issue 636 is a neighbour), and then waits for ever.
 * @returns once it runs.
 * @throws what the first start failed with, unless the database was away.
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
    runner.promise.catch((err) => log.warn({ err }, 'the worker has lost the queue')).then(() => lost.resolve());
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

  /** Lets it end its jobs; its names are heard of until it has. */
  function end({ runner, workerIds, idle }: Running): void {
    current = null;
    const stopped = runner
      .stop()
      .catch(() => {})
      .then(() => runner.promise)
      .catch(() => {});
    const reported = idle.then(() => sleep(LAST_REPORTS_WITHIN_MS, undefined, { ref: false }));
    const ended = Promise.race([stopped, reported]).then(() => void ending.delete(ended));
    ending.set(ended, workerIds);
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      if (current !== null) {
        await current.lost;
        if (current !== null) end(current);
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
  const kept = keep();
  return {
    takesJobs: () => current !== null,
    workerIds: () => [...(current?.workerIds ?? []), ...[...ending.values()].flat()],
    async stop() {
      stopping.abort();
      if (current !== null) end(current);
      await kept;
      if (current !== null) end(current);
      await Promise.all(ending.keys());
    },
  };
}

/** Settles when a runner that is being stopped has no worker left: each ends with its job. */
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
