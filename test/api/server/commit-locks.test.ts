import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import pg from 'pg';
import { ROOT } from '../../../scripts/checkout/checkout.mjs';
import { listCode } from '../../../scripts/test/import-graph.mjs';
import { startAdmin } from '../../admin/start-admin.ts';
import { CASE_1 } from '../../support/cast.ts';
import { applicationUrl, PATIENCE_MS, TEMPLATE } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { startOwnCluster } from '../../support/own-cluster.ts';
import { type Answer, startApi } from '../../support/platform.ts';

// The lock of NOTIFY is that of a whole server.
const cluster = await startOwnCluster();
process.env.TEST_DATABASE_URL = cluster.url;
// Another file of this process may have made the template of its own server.
await import(`../../support/templates/cast-template.ts?${cluster.url}`);
const url = applicationUrl(TEMPLATE);
const pool = createPool({ url, name: 'commit locks', max: 5, connectWithinMs: PATIENCE_MS });
after(() => pool.end());
const api = await startApi({ database: { url, pool, db: createDatabase(pool) } });
const admin = await startAdmin({ database: api, storage: api.storage });
const { parent, surrogate } = await api.everyone();
const root = await admin.as('root');
await fundCase(api, CASE_1, 1_000_000);
await pool.query(
  `insert into case_admin (case_id, user_id) select 1, id from user_account where email_address = 'root@demo.test'`,
);

/** PostgreSQL calls it the lock of "the database with the number 0". */
const NOTIFY_LOCK = `select granted from pg_locks where locktype = 'object' and classid = 'pg_database'::regclass and objid = 0`;

/** Holds the lock of NOTIFY, in a commit that waits for a standby, until the test has ended. */
async function holdNotifyLock(t: { after(work: () => Promise<unknown>): void }): Promise<pg.Client> {
  const [holder, control] = [0, 1].map(() => new pg.Client({ connectionString: cluster.url })) as [pg.Client, pg.Client];
  for (const client of [holder, control]) await client.connect();
  await cluster.run(`alter system set synchronous_standby_names = 'lost'`, 'select pg_reload_conf()');
  let held: Promise<unknown> | null = null;
  let tries = 0;
  const hold = async () => {
    tries += 1;
    await holder.query(`set synchronous_commit = 'on'; create table held${tries} (); select pg_notify('held', '')`);
    held = null;
  };
  t.after(async () => {
    await cluster.run('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    await held;
    await Promise.all([holder.end(), control.end()]);
  });
  await eventually('the lock is held', async () => {
    // On a busy machine a commit may come before the setting does, and waits for no standby.
    held ??= hold();
    return (await control.query(NOTIFY_LOCK)).rows.some(({ granted }) => granted);
  });
  return control;
}

test('[SCALE-2] no command waits while another transaction holds the lock of NOTIFY', async (t) => {
  const control = await holdNotifyLock(t);
  const notified = control.query(`select pg_notify('control', '')`).then(() => 'notified');
  const status = async (call: Promise<{ status: number }>) => (await call).status;
  const chain = (answer: Answer) => answer.body.chain.id;
  const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
  const id = chain(await parent.form('/api/messages', { message: 'A first message', case_id: String(CASE_1), recipients }));
  assert.equal(await status(surrogate.form(`/api/messages/${id}`, { message: 'A reply' }, [], { 'idempotency-key': 'k' })), 201);
  assert.equal(await status(parent.post(`/api/messages/${id}/viewed`, {})), 200);
  assert.equal(await status(root.post(`/messages/${id}/notes`, { note: 'A note' })), 303);
  assert.equal(await status(root.post(`/messages/${id}/writing`, { writing: 'reply' })), 204);
  assert.equal(await status(root.post(`/messages/${id}/assign`, { admin_id: '' })), 303);
  await bringTo(api, { maker: surrogate, checker: parent }, 'approved');
  const person = { email_address: 'parent@demo.test', user_type: 'intended_parent' };
  assert.equal(await status(api.anonymous.post('/api/user/auth/password-reset/request', person)), 202);
  assert.equal(await Promise.race([notified, 'still waiting']), 'still waiting');
  const { rows } = await api.pool.query('select event->>$1 as kind from outbox', ['kind']);
  const kinds = new Set(rows.map(({ kind }) => kind));
  assert.deepEqual([...kinds].map(String).sort(), ['case', 'chain', 'marks', 'message', 'note', 'null', 'writing']);
});

test('[SCALE-2] nothing but the publisher notifies', () => {
  const NOTIFIES = /\bpg_notify\b|\bnotify\s+["\w]+[;,`']|graphile_worker\.add_jobs?\(/i;
  const product = listCode().filter((file) => /^(apps|modules|lib)\//.test(file) && !/\.test\.ts$/.test(file));
  assert.deepEqual(
    product.filter((file) => NOTIFIES.test(readFileSync(join(ROOT, file), 'utf8'))),
    ['lib/outbox/publish-outbox.ts'],
  );
  const functions = readFileSync(join(ROOT, 'db/schema.sql'), 'utf8').split(/^-- /m);
  assert.deepEqual(
    functions.filter((text) => NOTIFIES.test(text)).map((text) => text.split('\n')[0]),
    [],
  );
});
