import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@case-platform/lib/database';
import type { EmailProvider } from '@case-platform/modules/notifications';
import pg from 'pg';
import { startWorker } from '../../apps/worker/run-worker.ts';
import { serverUrl } from '../support/database.ts';
import { quietLog, startApi, TEST_VAPID } from '../support/platform.ts';

const api = await startApi();
const parent = await api.as('parent');
const server = new pg.Client({ connectionString: serverUrl(new URL(api.url).pathname.slice(1)) });
// The database goes before this connection to it does.
server.on('error', () => {});
await server.connect();
after(() => server.end());

/** What becomes of the next mail; those after it are taken. */
const outcomes: ('sent' | 'failed')[] = [];
let mails = 0;
const email: EmailProvider = {
  name: 'mailpit',
  async send() {
    const outcome = outcomes.shift();
    // Whoever now reports how the job has ended waits, and is found waiting.
    if (outcome !== undefined) await server.query('begin; lock table graphile_worker._private_jobs in share mode');
    mails += 1;
    if (outcome === 'failed') throw new Error('the provider is away');
    return 'mail';
  },
};

/** Ends the connections of the worker that wait for a lock, once there is one. */
async function endWaiting(): Promise<void> {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'worker-under-test' and wait_event_type = 'Lock'`;
  while ((await server.query(end)).rows.length === 0) await sleep(20);
  await server.query('rollback');
}

async function mailed(count: number): Promise<void> {
  while (mails < count) await sleep(20);
}

test('[decisions 13] a worker that loses its connection while it reports a job, done or failed, goes on', async () => {
  const pool = createPool({ url: api.url, name: 'worker-under-test', max: 25, onError: () => {} });
  const worker = await startWorker({
    pool,
    log: quietLog,
    context: {
      ...{ db: api.db, storage: api.storage, email, sms: null, keepsContent: true },
      push: { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false },
      ...{ webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' },
    },
  });
  for (const outcome of ['sent', 'failed'] as const) {
    outcomes.push(outcome);
    const before = mails;
    await parent.form('/api/messages', { message: `its mail is ${outcome}` });
    await mailed(before + 1);
    await endWaiting();
    await parent.form('/api/messages', { message: 'after the connection was lost' });
    await mailed(before + 2);
  }
  await worker.stop();
  await pool.end();
  assert.deepEqual(outcomes, []);
});
