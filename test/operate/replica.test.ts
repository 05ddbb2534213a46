import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool, type Executor } from '@case-platform/lib/database';
import { createReplicaReads } from '@case-platform/lib/database/replica-reads';
import { syncPermissions } from '@case-platform/modules/accounts';
import type pg from 'pg';
import { hashDemoPasswords, seedCast } from '../../scripts/demo/seed-cast.ts';
import { openLaggingReads } from '../../scripts/operate/person/open-lagging-reads.ts';
import { startAdmin } from '../admin/start-admin.ts';
import { CASE_1 } from '../support/cast.ts';
import { addCategories } from '../support/categories.ts';
import { createTestDatabase, PATIENCE_MS, TEST_SECRETS, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { fundCase } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { ArchivingServer, listPrograms } from './archiving-server.ts';

const [{ bin } = { bin: '' }] = listPrograms();
const quiet = { info: () => {}, warn: () => {} };

/**
 * Opens a pool, and collects the names of the functions whose statements run on it. A process names its first 500 statements, so
 * this file has its own (scripts/test/test-selection.mjs).
 */
function open(url: string): { pool: pg.Pool; names: Set<string> } {
  const pool = createPool({ url, name: 'replica', max: 5, connectWithinMs: PATIENCE_MS });
  const names = new Set<string>();
  pool.on('connect', (client) => {
    const send = client.query as unknown as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]) {
        const { text = '' } = args[0] as { text?: string };
        const name = /\/\* ([\w.-]+) \*\//.exec(text)?.[1];
        if (name !== undefined) names.add(name);
        return send.apply(client, args);
      },
    });
  });
  after(() => pool.end());
  return { pool, names };
}

const server = new ArchivingServer(bin);
await server.begin();
const primary = open(server.url);
const database: TestDatabase = { url: server.url, pool: primary.pool, db: createDatabase(primary.pool) };
const hashes = await hashDemoPasswords();
await migrate(primary.pool);
await syncPermissions(database.db);
await database.db.transaction((tx) => seedCast(tx, TEST_SECRETS.encryptionKey, hashes));
await addCategories(primary.pool, [CASE_1]);
const replica = await server.startStandby();
const standby = open(replica.url);
const reads = createReplicaReads({
  primary: primary.pool,
  replica: standby.pool,
  log: quiet,
  lagMaxMs: PATIENCE_MS,
  checkEveryMs: 50,
});
after(() => reads.stop());
const api = await startApi({ database, readLagging: reads.read });
const admin = await startAdmin({ database, storage: api.storage, readLagging: reads.read });
await fundCase(api, CASE_1, 100_000);

describe('[SCALE-5] with a streaming standby', () => {
  const isOnStandby = async (db: Executor) =>
    (await db.query({ text: 'select pg_is_in_recovery() as answer', values: [] })).rows as { answer: boolean }[];
  const isUsed = () =>
    eventually('the replica is used', () =>
      reads.check().then(
        () => true,
        () => false,
      ),
    );
  const replay = (isPaused: boolean) => standby.pool.query(`select pg_wal_replay_${isPaused ? 'pause' : 'resume'}()`);

  test('[SCALE-5] deliveries, the audit log, and statements of past periods are read from it, and nothing else', async () => {
    const [parent, escrow, staff] = [await api.as('parent'), await api.as('escrow'), await admin.as('root')];
    const { rows } = await primary.pool.query('select max(id) as id from audit_entry');
    const past = 'from=2020-01-01&to=2020-02-01';
    await isUsed();
    const lagging = [
      'case-statement.listRows',
      'list-audit',
      'list-audit.findActorIds',
      'list-audit.findAuditEntry',
      'list-audit.listAuditActions',
      'list-deliveries',
      'list-deliveries.listDeliveryEvents',
      'own-payments.listOwnPayments',
    ];
    const readThem = async () => {
      for (const path of ['/deliveries', '/audit', '/audit?who=nobody@demo.test', `/audit/${rows[0].id}`]) {
        assert.equal((await staff.get(path)).status, 200, path);
      }
      for (const query of [past, `${past}&format=csv`, `${past}&format=pdf`]) {
        assert.equal((await parent.get(`/api/cases/${CASE_1}/statement?${query}`)).status, 200, query);
        assert.equal((await parent.get(`/api/user/me/payments?${query}`)).status, 200, query);
      }
      assert.equal((await staff.get(`/cases/${CASE_1}/statement?${past}&format=csv`)).status, 200);
      assert.equal((await staff.get(`/cases/${CASE_1}/money?${past}`)).status, 200);
    };
    standby.names.clear();
    // On a busy machine a check of the replica can come late, and the primary then answers one read.
    await eventually('all are read from it', async () => {
      await readThem();
      return lagging.every((name) => standby.names.has(name));
    });
    assert.deepEqual([...standby.names].sort(), lagging);
    await isUsed();
    standby.names.clear();
    for (const path of ['/api/home', '/api/messages', '/api/cases', '/api/disbursements', '/api/user/me']) {
      for (const client of [parent, escrow]) assert.equal((await client.get(path)).status, 200, path);
    }
    for (const path of [`/api/cases/${CASE_1}/statement`, '/api/user/me/payments', `/api/cases/${CASE_1}/timeline`]) {
      assert.equal((await parent.get(path)).status, 200, path);
    }
    for (const path of [
      '/',
      '/messages',
      '/cases',
      `/cases/${CASE_1}`,
      `/cases/${CASE_1}/money`,
      '/disbursements',
      '/batches',
      '/users',
    ]) {
      assert.equal((await staff.get(path)).status, 200, path);
    }
    assert.deepEqual([...standby.names], []);
  });

  test('[SCALE-5] a process with DATABASE_REPLICA_URL uses it, and so does an export', async () => {
    const code = `
      import { loadConfig } from './config.ts';
      import { startProcess } from './process/start-process.ts';
      const { readLagging } = await startProcess('api', loadConfig('api'), { migrations: [] });
      const ask = async (db) => (await db.query({ text: 'select pg_is_in_recovery() as answer', values: [] })).rows[0].answer;
      while (!(await readLagging(ask)));
      process.exit();`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: join(import.meta.dirname, '../../lib'),
      stdio: 'inherit',
      env: {
        PATH: process.env.PATH,
        DATA_DIR: tmpdir(),
        LOG_LEVEL: 'silent',
        DATABASE_URL: server.url,
        DATABASE_REPLICA_URL: replica.url,
      },
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    const { read, close } = await openLaggingReads({ databaseReplicaUrl: replica.url }, primary.pool, PATIENCE_MS);
    assert.deepEqual(await read((db) => db.transaction(isOnStandby)), [{ answer: true }]);
    await close();
  });

  test('[SCALE-5] while it lags, money and rights are current, and the primary answers what it lacks', async () => {
    const [staff, parent] = [await admin.as('root'), await api.as('parent')];
    await isUsed();
    await replay(true);
    await fundCase(api, CASE_1, 5000);
    const { body } = await parent.get(`/api/cases/${CASE_1}/statement`);
    assert.equal(body.closing_balance_cents, 105_000);
    const newest = (await primary.pool.query('select max(id) as id from audit_entry')).rows[0].id;
    const list = await staff.get('/audit');
    assert.equal(list.status, 200);
    assert.ok(!list.text.includes(`/audit/${newest}`), 'the list is the one of the replica');
    assert.equal((await staff.get(`/audit/${newest}`)).status, 200);

    const past = `/api/cases/${CASE_1}/statement?from=2020-01-01&to=2020-02-01`;
    assert.equal((await parent.get(past)).status, 200);
    const { rows } = await primary.pool.query(
      `update case_participant p set left_at = now() from user_account u
        where p.case_id = $1 and u.id = p.user_id and u.email_address = 'parent@demo.test' returning p.user_id`,
      [CASE_1],
    );
    standby.names.clear();
    await eventually('the replica would still have answered', async () => {
      assert.equal((await parent.get(past)).status, 404);
      return standby.names.has('case-statement.listRows');
    });
    await primary.pool.query('update case_participant set left_at = null where case_id = $1 and user_id = $2', [
      CASE_1,
      rows[0].user_id,
    ]);

    const strict = createReplicaReads({
      primary: primary.pool,
      replica: standby.pool,
      log: quiet,
      lagMaxMs: 200,
      checkEveryMs: 20,
    });
    await assert.rejects(strict.check(), /lags more than 200 ms/);
    assert.deepEqual(await strict.read(isOnStandby), [{ answer: false }]);
    assert.deepEqual(await reads.read(isOnStandby), [{ answer: true }]);
    await replay(false);
    await eventually('it is used again', async () => (await strict.read(isOnStandby))[0]?.answer === true);
    strict.stop();
  });

  test('[SCALE-5] while it is down, the primary answers, and readiness does not change', async () => {
    const staff = await admin.as('root');
    await replica.lose();
    for (let call = 0; call < 3; call += 1) assert.equal((await staff.get('/audit')).status, 200);
    await assert.rejects(reads.check());
    assert.equal((await admin.visitor().get('/health/ready')).status, 200);
  });
});

describe('[SCALE-5] a replica that is not a standby of this database', () => {
  const readsOf = (primaryUrl: string, replicaUrl: string, log = quiet) => {
    const made = createReplicaReads({ primary: open(primaryUrl).pool, replica: open(replicaUrl).pool, log, checkEveryMs: 20 });
    after(() => made.stop());
    return made;
  };

  test('[SCALE-5] is not used: the primary itself, and another database', async () => {
    const [{ url }, other] = [await createTestDatabase(), await createTestDatabase()];
    await assert.rejects(readsOf(url, url).check(), /the replica is not a standby/);
    const warnings: string[] = [];
    const warn = (_: unknown, message: string) => warnings.push(message);
    const reads = readsOf(url, other.url, { info: () => {}, warn } as unknown as typeof quiet);
    await assert.rejects(reads.check(), /the replica belongs to another database/);
    await eventually('it is logged', async () => warnings.length > 0);
    assert.deepEqual(warnings, ['the replica is not used: the primary answers']);
    const name = await reads.read(async (db) => (await db.query({ text: 'select current_database() as name', values: [] })).rows);
    assert.deepEqual(name, [{ name: new URL(url).pathname.slice(1) }]);
  });
});
