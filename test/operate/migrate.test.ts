import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import type { Migration } from '@case-platform/db/migration-files';
import { createPool } from '@case-platform/lib/database';
import { migrationsAreApplied, untilPassed } from '@case-platform/lib/database/readiness-checks';
import { createEmptyDatabase } from '../support/database.ts';
import { inOpenTransaction, untilWaiting } from '../support/run-overlapping.ts';

async function openEmpty() {
  const { ownerUrl } = await createEmptyDatabase();
  const pool = createPool({ url: ownerUrl, name: 'migrate-under-test', max: 4, limitMs: 60_000 });
  after(() => pool.end());
  return pool;
}

const file = (name: string, sql: string): Migration => ({ name, sql, checksum: name });
const begun = file('0001_begin.sql', 'create table thing (id int primary key); insert into thing values (1);');

test('[DATABASE-7] a migration that waits for a lock lets others through, and gets it in the end', async () => {
  const pool = await openEmpty();
  assert.deepEqual(await migrate(pool, undefined, { files: [begun] }), ['0001_begin.sql']);
  const change = file('0002_change.sql', 'alter table thing add column name text;');
  const applied = await inOpenTransaction(pool, async (holder) => {
    await holder.query('select from thing');
    const migrating = migrate(pool, undefined, { files: [begun, change], lockWithinMs: 100 });
    await untilWaiting(pool, [migrating]);
    // The migration waits for the lock, and so does a reader behind it, until the migration gives up.
    await pool.query('select from thing');
    await holder.query('commit');
    return migrating;
  });
  assert.deepEqual(applied, ['0002_change.sql']);
});

test('[HEALTH-1, HEALTH-2] a version is ready once its own migrations have run, and stays ready on a later schema', async () => {
  const pool = await openEmpty();
  const later = file('0002_change.sql', 'alter table thing add column name text;');
  const [older, newer] = [[begun], [begun, later]].map((files) =>
    migrationsAreApplied(
      pool,
      files.map(({ name }) => name),
    ),
  );
  assert.ok(older !== undefined && newer !== undefined);
  const gate = untilPassed(newer);
  await assert.rejects(newer, /lacks migrations: 0001_begin\.sql, 0002_change\.sql; run scripts\/start\/prepare\.ts/);
  await migrate(pool, undefined, { files: [begun] });
  await older();
  await assert.rejects(newer, /lacks migrations: 0002_change\.sql;/);
  await assert.rejects(gate, { status: 503 });
  await migrate(pool, undefined, { files: [begun, later] });
  await Promise.all([older(), newer(), gate()]);
  // Once it passed, calls do not check again.
  await pool.query('drop table schema_migration');
  await gate();
});

test('[DATABASE-7] statements outside a transaction are marked in the file, and several processes can start at the same time', async () => {
  const pool = await openEmpty();
  const files = [
    begun,
    file('0002_change.sql', 'alter table thing add column name text;'),
    file(
      '0003_index.sql',
      '-- no transaction\n-- Built beside those who write.\ncreate index concurrently if not exists thing_name_idx\n  on thing (name);\nanalyze thing;\n',
    ),
  ];
  await migrate(pool, undefined, { files: files.slice(0, 2) });
  const applied = await Promise.all([1, 2, 3].map(() => migrate(pool, undefined, { files })));
  assert.deepEqual(applied.flat(), ['0003_index.sql']);
  const { rows } = await pool.query(`select indisvalid from pg_index where indexrelid = 'thing_name_idx'::regclass`);
  assert.deepEqual(rows, [{ indisvalid: true }]);
  const unmarked = file('0004_index.sql', 'create index concurrently other_idx on thing (name);');
  await assert.rejects(migrate(pool, undefined, { files: [...files, unmarked] }), /0004_index.*cannot run inside a transaction/);
});

test('[DATABASE-7] a database of an unreleased version is rejected and stays as it is', async () => {
  const pool = await openEmpty();
  await migrate(pool, undefined, { files: [begun] });
  const baseline = file('0001_baseline.sql', 'create table other (id int primary key);');
  await assert.rejects(migrate(pool, undefined, { files: [baseline] }), /unreleased version.*Start with an empty one/);
  const { rows } = await pool.query(
    `select to_regclass('other') as other, (select count(*)::int from schema_migration) as applied`,
  );
  assert.deepEqual(rows, [{ other: null, applied: 1 }]);
});
