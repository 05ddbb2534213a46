import type pg from 'pg';
import { READ_ONLY } from '../database/database-client.ts';
import { databaseIsReady } from '../database/readiness-checks.ts';
import { readQueueDepth } from '../jobs/queue-depth.ts';
import type { Metrics } from './metrics.ts';
import { createSharedReading } from './shared-reading.ts';

/**
 * Every process with a database shows these metrics of it and of the queue. They are the same in each, except those of its own
 * pool.
 */
export function addDatabaseMetrics(metrics: Metrics, pool: pg.Pool): void {
  // This is first, because the metrics below use the pool themselves.
  metrics.addGauge({
    name: 'database_pool_waiting',
    help: 'Statements and transactions that wait for a free connection of this process.',
    read: () => [{ value: pool.waitingCount }],
  });
  const isReady = databaseIsReady(pool);
  const state = createSharedReading(() =>
    isReady().then(
      () => 'up',
      ({ code }) => (code === READ_ONLY ? 'read-only' : 'away'),
    ),
  );
  metrics.addGauge({
    name: 'database_up',
    help: '1 while the database answers and can be written.',
    read: async () => [{ value: (await state()) === 'up' ? 1 : 0 }],
  });
  metrics.addGauge({
    name: 'database_read_only',
    help: '1 while the database answers and cannot be written.',
    read: async () => [{ value: (await state()) === 'read-only' ? 1 : 0 }],
  });
  const depth = createSharedReading(() => readQueueDepth(pool));
  metrics.addGauge({
    name: 'jobs_waiting',
    help: 'Jobs that could run now and that no worker has taken.',
    labels: ['task'],
    read: async () => (await depth()).map(({ task, waiting }) => ({ labels: { task }, value: waiting })),
  });
  metrics.addGauge({
    name: 'job_oldest_seconds',
    help: 'How long the first job that waits could have run already.',
    labels: ['task'],
    read: async () => (await depth()).map(({ task, oldest_seconds }) => ({ labels: { task }, value: oldest_seconds })),
  });
  metrics.addGauge({
    name: 'jobs_dead',
    help: 'Jobs that have used up their tries and wait for a person.',
    read: async () => [{ value: (await depth()).reduce((sum, { dead }) => sum + dead, 0) }],
  });
}
