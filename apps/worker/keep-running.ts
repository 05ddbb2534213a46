import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Runner, WorkerEvents } from 'graphile-worker';

export interface SteadyRunner {
  /** What its workers are called in the queue now. */
  workerIds(): readonly string[];
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/**
 * Keeps a runner of the queue running. graphile-worker ends one for good when it cannot report that a job is done, which takes
 * no more than one lost connection: another is started in its place, under other names, and what the first had taken is
 * given free when its names are no longer heard of.
 * @returns once it runs.
 * @throws what the first start failed with, unless the database was away.
 */
export async function keepRunning(log: Log, start: (events: WorkerEvents) => Promise<Runner>): Promise<SteadyRunner> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let ids: string[] = [];
  let runner: Runner | null = null;

  const startOnce = async () => {
    const events: WorkerEvents = new EventEmitter();
    const own: string[] = [];
    events.on('pool:create', ({ workerPool }) => own.push(workerPool.id));
    runner = await start(events);
    ids = own;
  };

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

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      await runner?.promise.catch((err) => log.warn({ err }, 'the worker has lost the queue'));
      runner = null;
      ids = [];
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
    workerIds: () => ids,
    async stop() {
      stopping.abort();
      await runner?.stop().catch(() => {});
      await kept;
    },
  };
}
