import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import pg from 'pg';
import { freePorts } from '../../../scripts/test/free-ports.mjs';
import { startAdmin } from '../../admin/start-admin.ts';
import { CAST, passwordOf } from '../../support/cast.ts';
import { applicationUrl, PATIENCE_MS, TEMPLATE } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startOwnCluster } from '../../support/own-cluster.ts';
import { startApi } from '../../support/platform.ts';

const shared = process.env.TEST_DATABASE_URL ?? '';
const cluster = await startOwnCluster();
process.env.TEST_DATABASE_URL = cluster.url;
// Another file of this process may have made the template of its own server.
await import(`../../support/templates/cast-template.ts?${cluster.url}`);
// A throwaway server does not wait for a standby by default.
await cluster.run(`alter role case_platform_app set synchronous_commit = 'on'`);
const url = applicationUrl(TEMPLATE);
/** The time limit is shorter than the platform's, to save time. */
const pool = createPool({ url, name: 'faults', max: 5, limitMs: 2000, connectWithinMs: PATIENCE_MS });
/** Observes the database without the short limit. */
const patient = createPool({ url, name: 'patient', max: 1, connectWithinMs: PATIENCE_MS });
const database = { url, pool, db: createDatabase(pool) };
/** The limit of production, because a write that waits for a lost standby would otherwise block the probe. */
const readyWithinMs = 3000;
const api = await startApi({ database, readyWithinMs });
const admin = await startAdmin({ database, storage: api.storage, readyWithinMs });
after(() => Promise.all([pool.end(), patient.end()]));
const credentials = {
  email_address: CAST.parent.email_address,
  user_type: CAST.parent.user_type,
  pass_hash: passwordOf('parent'),
};

const signIn = () => api.anonymous.post('/api/user/auth/login', credentials);
/** Tries repeatedly, because on a busy machine a statement can exceed the short limit even without a fault. */
const signsIn = () => eventually('somebody signs in', async () => (await signIn()).status === 200);
const staffSignIn = () =>
  admin.visitor().submit('/login', { email: CAST.escrow.email_address, password: 'x', user_type: 'admin' });

async function becomesReady(status: number): Promise<void> {
  for (const probe of [api.anonymous, admin.visitor()]) {
    await eventually(`ready answers ${status}`, async () => (await probe.get('/health/ready')).status === status);
  }
}

async function backends(): Promise<number[]> {
  const { rows } = await patient.query(`select pid from pg_stat_activity where application_name = 'faults'`);
  return rows.map(({ pid }) => pid);
}

interface Fault {
  begin: string;
  end: string;
}

/** Checks that both applications are ready and can write, then neither during the fault, then both again without a restart. */
async function breaks({ begin, end }: Fault, meanwhile: () => Promise<void>): Promise<void> {
  await signsIn();
  await becomesReady(200);
  const before = await backends();
  await cluster.run(begin, 'select pg_reload_conf()');
  try {
    await becomesReady(503);
    for (const { status, headers } of [await signIn(), await staffSignIn()]) {
      assert.equal(status, 503);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    }
    // The database notices only a moment later that a connection was closed.
    await eventually('no connection from before the fault is left', async () =>
      (await backends()).every((pid) => !before.includes(pid)),
    );
    await meanwhile();
  } finally {
    await cluster.run(end, 'select pg_reload_conf()');
  }
  await becomesReady(200);
  await signsIn();
  await eventually('staff are answered', async () => (await staffSignIn()).status < 500);
}

test('[DATABASE-3] a server that can only be read: writes are 503, it is not ready, and no connection to it is kept', () =>
  breaks(
    {
      begin: 'alter system set default_transaction_read_only = on',
      end: 'alter system reset default_transaction_read_only',
    },
    async () => {},
  ));

test('[DATABASE-3] after the loss of a standby that every commit waits for, writes are 503, nothing is ready, and nothing waits', async () => {
  const parent = await eventually('somebody of the cast', () => api.as('parent').catch(() => undefined));
  const send = () => parent.form('/api/messages', { message: 'sent again' }, [], { 'idempotency-key': 'sent-again' });
  await breaks(
    {
      begin: `alter system set synchronous_standby_names = 'lost'`,
      end: 'alter system reset synchronous_standby_names',
    },
    async () => {
      assert.equal((await send()).status, 503);
      const waiting = `select 1 from pg_stat_activity where wait_event = 'SyncRep'`;
      // A probe that was just sent may still be waiting.
      await eventually('nothing waits', async () => (await patient.query(waiting)).rows.length === 0);
    },
  );
  // It is unknown if the claim of its key was committed, but the key is returned long before the claim would expire.
  await eventually('it can be sent again', async () => (await send()).status === 201);
  const texts = await patient.query(`select 1 from message where message = 'sent again'`);
  assert.equal(texts.rowCount, 1, 'it is there once');
});

test('[DATABASE-1] of several hosts the writable one is used, in any order and with others away', async () => {
  const [readOnly, writable] = [new URL(cluster.url), new URL(shared)];
  const [away] = await freePorts(1);
  const role = 'several_hosts';
  const onShared = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: shared });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const create = `create role ${role} login password '${role}'`;
  await cluster.run(create, `alter role ${role} set default_transaction_read_only = on`);
  await onShared(`drop role if exists ${role}`, create);
  const connectTo = (...hosts: string[]) =>
    createPool({
      url: `postgres://${role}:${role}@${hosts.join(',')}/postgres`,
      name: 'several',
      max: 1,
      connectWithinMs: PATIENCE_MS,
    });
  const portOf = async (...hosts: string[]) => {
    const several = connectTo(...hosts);
    try {
      return (await several.query("select current_setting('port') as port")).rows[0].port;
    } finally {
      await several.end();
    }
  };
  try {
    const hosts = [`127.0.0.1:${away}`, readOnly.host, writable.host];
    assert.equal(await portOf(...hosts), writable.port);
    assert.equal(await portOf(...hosts.toReversed()), writable.port);
    await assert.rejects(portOf(`127.0.0.1:${away}`, readOnly.host));
    await assert.rejects(portOf(readOnly.host, readOnly.host), { code: '25006' });
    assert.equal(await portOf(readOnly.host), readOnly.port, 'a single one is taken as it is');
  } finally {
    await onShared(`drop role ${role}`);
  }
});
