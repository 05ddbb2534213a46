import type { WorkerEvents } from 'graphile-worker';

/**
 * Makes a runner look for jobs only when a signal names one of its tasks, or none at all (`publishOutbox`). Each look is a
 * transaction, and there are eight runners.
 */
export function ignoreOtherSignals(events: WorkerEvents, names: readonly string[]): void {
  let concerns = true;
  events.on('pool:listen:notification', ({ message: { payload = '{}' } }) => {
    const { tasks } = JSON.parse(payload) as { tasks?: Record<string, true> };
    concerns = tasks === undefined || '' in tasks || names.some((name) => name in tasks);
  });
  events.on('pool:create', ({ workerPool }) => {
    const nudge = workerPool.nudge.bind(workerPool);
    workerPool.nudge = (count) => {
      if (concerns) nudge(count);
    };
  });
}
