import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { type Migration, migrationFiles } from '@case-platform/db/migration-files';
import { createPool } from '@case-platform/lib/database';
import { migrationsAreApplied, untilPassed } from '@case-platform/lib/database/readiness';
import { dumpSchema } from '../../db/dump-schema.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

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
  const holder = await pool.connect();
  await holder.query('begin; select from thing');
  const change = file('0002_change.sql', 'alter table thing add column name text;');
  const migrating = migrate(pool, undefined, { files: [begun, change], lockWithinMs: 100 });
  const waits = `select from pg_stat_activity
                  where datname = current_database() and query like 'alter table thing%' and wait_event_type = 'Lock'`;
  await eventually('the migration waits', async () => (await pool.query(waits)).rows.length > 0);
  // It stands in the queue of the lock, and a reader behind it, until it gives way.
  await pool.query('select from thing');
  await holder.query('commit');
  holder.release();
  assert.deepEqual(await migrating, ['0002_change.sql']);
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
  // Calls do not look again.
  await pool.query('drop table schema_migration');
  await gate();
});

test('[DATABASE-7] statements outside a transaction are marked in the file, and several may start at once', async () => {
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
  await assert.rejects(
    migrate(pool, undefined, { files: [...files, unmarked] }),
    /0004_index.*cannot run inside a transaction/,
  );
});

test('[DATABASE-7] the schema of the previous version is what its migrations create', async () => {
  const released = readFileSync(new URL('../../db/released/schema.sql', import.meta.url), 'utf8');
  const [head = '', ...lines] = released.split('\n');
  const newest = /migrations up to (\d{4}_\w+\.sql)\./.exec(head)?.[1] ?? '';
  const ofThen = new Set(migrationFiles().flatMap(({ name }) => (name <= newest ? [name] : [])));
  const pool = await openEmpty();
  await migrate(pool, ofThen);
  const [, ...made] = (await dumpSchema(pool)).split('\n');
  assert.deepEqual(lines, made);
});

test('[PERSON-3] records that were one person before it was stored stay one, also those that have parted since', async () => {
  const pool = await openEmpty();
  const files = await migrationFiles();
  const before = files.findIndex(({ name }) => name.endsWith('_one_person_for_good.sql'));
  await migrate(pool, undefined, { files: files.slice(0, before) });
  const people = [
    ['a@demo.test', 'ip', null],
    ['a@demo.test', 'surrogate', '+12025550101'],
    ['b@demo.test', 'admin', '+12025550101'],
    ['c@demo.test', 'admin', null],
    ['left@demo.test', 'surrogate', null],
    ['moved@demo.test', 'ip', null],
    ['later@demo.test', 'ip', null],
  ];
  for (const [address, type, phone] of people)
    await pool.query('insert into user_account (email_address, user_type, confirmed_phone) values ($1, $2, $3)', [
      ...[address, type, phone],
    ]);
  await pool.query(
    `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
     select id, case id when 6 then 'left@demo.test' else 'c@demo.test' end, email_address, sha256(email_address::bytea), id, now(), now(),
            case id when 6 then now() + interval '1 day' else now() - interval '1 day' end
       from user_account where id in (6, 7)`,
  );
  await migrate(pool, undefined, { files: files.slice(0, before + 1) });
  await pool.query(`insert into user_account (email_address, user_type) values ('new@demo.test', 'ip')`);
  const { rows } = await pool.query(
    'select array_agg(id order by id)::text as ids from user_account group by person_id order by 1',
  );
  // The fourth record came to its address after the seventh had left it.
  assert.deepEqual(
    rows.map(({ ids }) => ids),
    ['{1,2,3}', '{4}', '{5,6}', '{7}', '{8}'],
  );
});
