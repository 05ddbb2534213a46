import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { addDatabaseMetrics } from './database-metrics.ts';
import { createMetrics } from './metrics.ts';

type Depth = { task: string; waiting: number; oldest_seconds: number; dead: number };
type State = 'up' | 'read-only' | 'away';

/** A pool whose database is in a state, and whose queue has these tasks. */
function poolOf(state: State, depth: Depth[]): { pool: pg.Pool; asked: string[] } {
  const asked: string[] = [];
  const query = async (statement: { text: string } | string) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    asked.push(text);
    if (state === 'away') throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    if (text.includes('_private_tasks')) return { rows: depth };
    return { rows: [{ writable: state === 'up' }] };
  };
  return { pool: { query, waitingCount: 3, totalCount: 10, idleCount: 7 } as unknown as pg.Pool, asked };
}

/** The values of our metrics as they are shown. */
async function shown(state: State, depth: Depth[] = []) {
  const metrics = createMetrics();
  const { pool, asked } = poolOf(state, depth);
  addDatabaseMetrics(metrics, pool);
  const lines = (await metrics.text()).split('\n').filter((line) => /^(database|job)/.test(line));
  return { values: Object.fromEntries(lines.map((line) => line.split(' '))), asked };
}

test('[METRIC-1] the database is up, read-only, or away, and what is unknown is not shown as zero', async () => {
  const rows: [State, up: string, readOnly: string, dead: string][] = [
    ['up', '1', '0', '0'],
    ['read-only', '0', '1', '0'],
    ['away', '0', '0', 'NaN'],
  ];
  for (const [state, up, readOnly, dead] of rows) {
    const { values } = await shown(state);
    const { database_up, database_read_only, jobs_dead, database_pool_waiting } = values;
    assert.deepEqual([database_up, database_read_only, jobs_dead?.replace('Nan', 'NaN')], [up, readOnly, dead], state);
    assert.equal(database_pool_waiting, '3', 'what waits for a connection, and not the connections');
  }
});

test('[METRIC-1] each task shows its own jobs, dead ones are added up, and one scrape reads each thing once', async () => {
  const { values, asked } = await shown('up', [
    { task: 'deliver_email', waiting: 4, oldest_seconds: 1.5, dead: 2 },
    { task: 'deliver_push', waiting: 0, oldest_seconds: 0, dead: 5 },
    { task: 'sweep_objects', waiting: 1, oldest_seconds: 90, dead: 0 },
  ]);
  assert.deepEqual(values, {
    database_pool_waiting: '3',
    database_up: '1',
    database_read_only: '0',
    'jobs_waiting{task="deliver_email"}': '4',
    'jobs_waiting{task="deliver_push"}': '0',
    'jobs_waiting{task="sweep_objects"}': '1',
    'job_oldest_seconds{task="deliver_email"}': '1.5',
    'job_oldest_seconds{task="deliver_push"}': '0',
    'job_oldest_seconds{task="sweep_objects"}': '90',
    jobs_dead: '7',
  });
  assert.equal(asked.length, new Set(asked).size);
});
