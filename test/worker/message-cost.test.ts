import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import type pg from 'pg';
import { startWorker } from '../../apps/worker/run-worker.ts';
import { CASE_1 } from '../support/cast.ts';
import { createTestDatabase, TEMPLATE } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { quietLog, startApi, TEST_VAPID } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

const MESSAGES = 60;
/** Twenty messages a second. */
const EVERY_MS = 50;

const sink = await startSink();
const database = await createTestDatabase(TEMPLATE, { connections: POOL_SIZES.worker });
const api = await startApi({ database, publishEveryMs: 100 });
const { escrow, parent } = await api.everyone();
const worker = database.inRole?.('worker') ?? database;

/** The transactions of two processes, counted by their first statement. */
interface Transactions {
  all: Map<string, number>;
  writing: Map<string, number>;
}

test('[SCALE-4] a message with a push and a mail causes at most 5 writing transactions and 14 in total', async (t) => {
  const keys = new PushDevice().keys;
  await escrow.post('/api/notifications/subscribe', { enabled: true, endpoint: `${sink.origin}/device`, keys });
  const counted: Transactions = { all: new Map(), writing: new Map() };
  for (const pool of [(database.inRole?.('api') ?? database).pool, worker.pool]) countTransactions(pool, counted);
  const context = {
    db: worker.db,
    storage: api.storage,
    email: { name: 'mailpit' as const, send: async () => 'mail' },
    sms: null,
    keepsContent: true,
    push: { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false },
    internalApi: { url: 'http://127.0.0.1:1', masterApiKey: '' },
    webUrl: 'http://localhost:3000',
    apiUrl: 'http://localhost:4000',
    adminUrl: 'http://localhost:4001',
  };
  const working = await startWorker({ pool: worker.pool, log: quietLog, context });
  t.after(() => working.stop());
  const { body } = await parent.form('/api/messages', { message: 'The first', case_id: String(CASE_1) });
  const areDone = async () => {
    const waiting = `select from graphile_worker.jobs where task_identifier <> 'email_gathered'`;
    return (await api.pool.query(waiting)).rows.length === 0;
  };
  await sink.arrived(1);
  await eventually('the jobs of the first message are done', areDone);
  for (const counts of Object.values(counted)) counts.clear();

  const sent: Promise<unknown>[] = [];
  for await (const at of setInterval(EVERY_MS, sent)) {
    at.push(parent.form(`/api/messages/${body.chain.id}`, { message: 'More' }, [], { 'idempotency-key': `key-${sent.length}` }));
    if (sent.length === MESSAGES) break;
  }
  await Promise.all(sent);
  await sink.arrived(1 + MESSAGES);
  await eventually('all jobs are done', areDone);

  const [all, writing] = [perMessage(counted.all), perMessage(counted.writing)];
  for (const [text, count] of [...counted.all].sort(([, a], [, b]) => b - a).slice(0, 12))
    t.diagnostic(`${(count / MESSAGES).toFixed(2)} ${text.slice(0, 90)}`);
  t.diagnostic(`${all.toFixed(1)} transactions, ${writing.toFixed(1)} of them writing`);
  // A control: the message itself, its announcement, and the report of its push write.
  assert.ok(writing > 1, `${writing} writing transactions`);
  assert.ok(writing <= 5, `${writing} writing transactions`);
  assert.ok(all <= 14, `${all} transactions`);
});

function perMessage(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0) / MESSAGES;
}

/**
 * Counts each transaction of a pool, and whether it writes: one of several statements if it got a number from PostgreSQL, and a
 * statement by itself if it changed a row.
 */
function countTransactions(pool: pg.Pool, { all, writing }: Transactions): void {
  const count = (counts: Map<string, number>, text: string) => counts.set(text, (counts.get(text) ?? 0) + 1);
  const watched = new WeakSet<pg.PoolClient>();
  const watch = (client: pg.PoolClient) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<pg.QueryResult>;
    /** `pool.query` passes a callback. */
    const send = async (...given: unknown[]) => {
      const callback = typeof given.at(-1) === 'function' ? (given.pop() as (...answer: unknown[]) => void) : undefined;
      const result = await query(...given).catch((error) => {
        callback?.(error);
        throw error;
      });
      callback?.(null, result);
      return result;
    };
    /** The first statement of the open transaction. */
    let first: string | undefined;
    return async (...given: unknown[]) => {
      const text = String((given[0] as { text?: string }).text ?? given[0]).trim();
      if (/^(begin|start transaction)/i.test(text)) first = '';
      else if (/^(commit|rollback)/i.test(text)) {
        const { rows } = await send('select pg_current_xact_id_if_assigned() is not null as is_numbered');
        count(all, first ?? '');
        if (rows[0]?.is_numbered) count(writing, first ?? '');
        first = undefined;
      } else if (first === '') first = text;
      else if (first === undefined && !/^(un)?listen/i.test(text)) {
        const result = await send(...given);
        const { rowCount, rows } = result;
        count(all, text);
        const changes = /\b(insert into|update|delete from)\b/i.test(text) && (rowCount ?? 0) > 0;
        if (changes || rows[0]?.published > 0) count(writing, text);
        return result;
      }
      return send(...given);
    };
  };
  pool.on('acquire', (client) => {
    if (!watched.has(client)) Object.assign(client, { query: watch(client) });
    watched.add(client);
  });
}
