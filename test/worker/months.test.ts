import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { migrationFiles } from '@case-platform/db/migration-files';
import { DEFAULT_RETENTION } from '@case-platform/lib/config/read-retention';
import { createPool } from '@case-platform/lib/database';
import { removeOldRows } from '../../apps/worker/remove-old-rows.ts';
import { createEmptyDatabase, createTestDatabase, serverUrl } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** Partitions of months: made ahead, dropped when they are old, and out of reach for everyone but two functions. */

const { url, pool, inRole } = await createTestDatabase();
const worker = inRole?.('worker');
assert.ok(worker !== undefined);
const { db } = worker;
const owner = createPool({ url: serverUrl(new URL(url).pathname.slice(1)), name: 'owner', max: 2 });
after(() => owner.end());
const { rows: people } = await pool.query('select id from user_account order by id limit 1');
const userId = people[0].id;
const NOW = new Date();

/** The first day of the month that is this many months after the current one. */
const monthAt = (months: number) => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() + months));
const nameOf = (table: string, month: Date) => `months.${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await owner.query('select partition::text from months_of($1::regclass) order by 1', [table]);
  return rows.map(({ partition }) => partition);
}

async function deliver(key: string, at: Date, state = 'sent'): Promise<number> {
  const { rowCount } = await pool.query(
    `insert into delivery (delivery_key, channel, event, user_id, recipient, state, created_at)
     values ($1, 'email', 'new_message', $2, 'months@demo.test', $3, $4)`,
    [key, userId, state, at],
  );
  return rowCount ?? 0;
}

async function signIn(at: Date): Promise<void> {
  await pool.query(`insert into sign_in (user_id, layer, signed_in_at, locale) values ($1, 'api', $2, 'de-DE')`, [userId, at]);
}

const keysLeft = async () =>
  (await pool.query(`select delivery_key from delivery where recipient = 'months@demo.test' order by 1`)).rows.map(
    ({ delivery_key }) => delivery_key,
  );
const partitionOf = async (key: string) =>
  (await pool.query('select tableoid::regclass::text as name from delivery where delivery_key = $1', [key])).rows[0]?.name;

before(async () => void (await pool.query('delete from sign_in')));

test('[RETAIN-2] partitions of this month and the next three exist after the migration, and no row has none', async () => {
  for (const table of ['delivery', 'sign_in']) {
    const names = await partitionsOf(table);
    for (const months of [1, 2]) assert.ok(names.includes(nameOf(table, monthAt(months))), names.join(' '));
  }
  await deliver('of-now', NOW);
  assert.equal(await partitionOf('of-now'), nameOf('delivery', monthAt(0)));
});

test('[RETAIN-2] as months pass, partitions appear, old ones go with their rows, and all other rows stay', async () => {
  const midOf = (months: number) => new Date(monthAt(months).getTime() + 14 * 86_400_000);
  for (let months = 1; months <= 18; months += 1) {
    await removeOldRows(db, DEFAULT_RETENTION, midOf(months));
    for (const table of ['delivery', 'sign_in'])
      for (const ahead of [0, 1, 2, 3]) {
        const name = nameOf(table, monthAt(months + ahead));
        assert.ok((await partitionsOf(table)).includes(name), name);
      }
    await deliver(`of-${String(months).padStart(2, '0')}`, midOf(months));
    await signIn(midOf(months));
  }
  // 400 days before the middle of the eighteenth month are in the fifth, of which later days are younger.
  const expected = Array.from({ length: 14 }, (_, at) => `of-${String(at + 5).padStart(2, '0')}`);
  assert.deepEqual(await keysLeft(), expected);
  assert.equal((await pool.query('select from sign_in')).rowCount, 14);
  const gone = nameOf('delivery', monthAt(4));
  assert.ok(!(await partitionsOf('delivery')).includes(gone), gone);
  const { rows } = await pool.query('select rows_without from months_ahead()');
  assert.deepEqual(rows, [{ rows_without: 0 }, { rows_without: 0 }]);
  // Much later all months are gone, and the last sign-in is still remembered.
  await removeOldRows(db, DEFAULT_RETENTION, midOf(40));
  assert.deepEqual(await keysLeft(), []);
  const last = await pool.query('select signed_in_at, locale from last_sign_in where user_id = $1', [userId]);
  assert.deepEqual(last.rows, [{ signed_in_at: midOf(18), locale: 'de-DE' }]);
});

test('[RETAIN-2] a row without a partition is accepted, and moves to one at night', async () => {
  const at = new Date(monthAt(80).getTime() + 3_600_000);
  assert.equal(await deliver('far', at), 1);
  await signIn(at);
  assert.equal(await partitionOf('far'), 'months.delivery_default');
  const counts = async () => (await pool.query('select rows_without from months_ahead()')).rows.map((row) => row.rows_without);
  assert.deepEqual(await counts(), [1, 1]);
  await removeOldRows(db, DEFAULT_RETENTION, new Date());
  assert.equal(await partitionOf('far'), nameOf('delivery', monthAt(80)));
  assert.deepEqual(await counts(), [0, 0]);
});

test('[RETAIN-1] a delivery that waits keeps the partition of its month, of which everything else is removed', async () => {
  const past = new Date(monthAt(-20).getTime() + 3_600_000);
  await deliver('waits', past, 'queued');
  await deliver('done', past);
  // The first night moves them from the default partition to one of their own.
  await removeOldRows(db, DEFAULT_RETENTION, NOW);
  assert.equal(await partitionOf('waits'), nameOf('delivery', monthAt(-20)));
  assert.equal(await partitionOf('done'), undefined);
  await pool.query(`update delivery set state = 'sent' where delivery_key = 'waits'`);
  await removeOldRows(db, DEFAULT_RETENTION, NOW);
  assert.ok(!(await partitionsOf('delivery')).includes(nameOf('delivery', monthAt(-20))));
});

test('[NOTIFY-1] a key is delivered once, in whatever month, also when two transactions use it at the same time', async () => {
  assert.equal(await deliver('once', monthAt(0)), 1);
  assert.equal(await deliver('once', monthAt(1)), 0);
  const [first, second] = [await pool.connect(), await pool.connect()];
  const insert = (key: string) =>
    `insert into delivery (delivery_key, channel, event, recipient) values ('${key}', 'email', 'new_message', 'x@demo.test')`;
  try {
    for (const [end, rows] of [
      ['commit', 0],
      ['rollback', 1],
    ] as const) {
      await first.query('begin');
      await first.query(insert(`both-${end}`));
      const waiting = second.query(insert(`both-${end}`));
      await eventually('the second waits', async () => {
        const { rowCount } = await owner.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%both-${end}%'`,
        );
        return rowCount === 1;
      });
      await first.query(end);
      assert.equal((await waiting).rowCount, rows, end);
    }
  } finally {
    first.release();
    second.release();
  }
  // A delivery whose time changes moves to another month, and is still the same one.
  await pool.query(`update delivery set created_at = $1 where delivery_key = 'once'`, [monthAt(2)]);
  assert.equal(await partitionOf('once'), nameOf('delivery', monthAt(2)));
});

test('[RETAIN-2, DATABASE-7] a month that someone reads is not waited for, and goes with the next try', async () => {
  const far = new Date(monthAt(90).getTime() + 3_600_000);
  const reader = await pool.connect();
  try {
    await reader.query('begin; select from delivery limit 1');
    await assert.rejects(removeOldRows(db, DEFAULT_RETENTION, far), { code: '55P03' });
    // Readers and writers go on meanwhile, and nothing was left half done.
    await deliver('meanwhile', NOW);
    await reader.query('commit');
  } finally {
    reader.release();
  }
  await removeOldRows(db, DEFAULT_RETENTION, NOW);
  assert.ok((await partitionsOf('delivery')).includes(nameOf('delivery', monthAt(3))));
});

test('[DATABASE-5] no role of a process reaches a partition, and only the worker creates and drops months', async () => {
  const partition = (await partitionsOf('delivery'))[0];
  for (const process of ['api', 'admin', 'worker'] as const) {
    const role = createPool({ url: inRole?.(process).url ?? '', name: process, max: 1 });
    after(() => role.end());
    for (const statement of [
      `select from ${partition}`,
      `update ${partition} set state = 'sent'`,
      `delete from ${partition}`,
      `truncate ${partition}`,
      `drop table ${partition}`,
      `alter table delivery detach partition ${partition}`,
      'truncate delivery',
      `select drop_months('audit_entry', now())`,
      ...(process === 'worker' ? [] : ['select create_months(now())', `select drop_months('delivery', now())`]),
    ])
      await assert.rejects(role.query(statement), { code: '42501' }, `${process}: ${statement}`);
  }
});

test('[RETAIN-2, DATABASE-7] the migration to months loses no row and no right, and ids go on', async () => {
  const { ownerUrl } = await createEmptyDatabase();
  const old = createPool({ url: ownerUrl, name: 'months', max: 2, limitMs: 60_000 });
  after(() => old.end());
  const files = migrationFiles();
  await migrate(old, undefined, { files: files.filter(({ name }) => name < '0022') });
  await old.query(`
    grant select, insert, update on delivery to case_platform_api;
    grant select (id, signed_in_at) on sign_in to case_platform_worker;
    insert into user_account (email_address, user_type) values ('months@demo.test', 'ip');
    insert into delivery (delivery_key, channel, event, recipient, created_at)
      select 'key-' || n, 'email', 'new_message', 'x@demo.test', now() - n * interval '1 day' from generate_series(1, 1000) n;
    insert into sign_in (user_id, layer, signed_in_at, locale)
      select u.id, 'api', now() - n * interval '1 day', 'l-' || n from user_account u, generate_series(500, 1, -1) n`);
  const digest = `select md5(string_agg(d::text, ',' order by id)) as deliveries,
                         (select md5(string_agg(s::text, ',' order by id)) from sign_in s) as sign_ins from delivery d`;
  const before = await old.query(digest);
  assert.deepEqual(
    await migrate(old, undefined, { files }),
    files.map(({ name }) => name).filter((name) => name >= '0022'),
  );
  assert.deepEqual((await old.query(digest)).rows, before.rows);
  const { rows } = await old.query(
    `insert into delivery (delivery_key, channel, event, recipient)
     values ('key-7', 'email', 'x', 'x'), ('key-new', 'email', 'x', 'x') returning id::int, delivery_key`,
  );
  assert.deepEqual(
    rows.map(({ delivery_key }) => delivery_key),
    ['key-new'],
  );
  assert.ok(rows[0].id > 1000);
  const last = await old.query('select locale from last_sign_in');
  assert.deepEqual(last.rows, [{ locale: 'l-1' }]);
  const { rows: rights } = await old.query(
    `select has_table_privilege('case_platform_api', 'delivery', 'select, insert, update') as api,
            has_column_privilege('case_platform_worker', 'sign_in', 'signed_in_at', 'select') as worker,
            has_column_privilege('case_platform_worker', 'sign_in', 'ip_address', 'select') as more`,
  );
  assert.deepEqual(rights, [{ api: true, worker: true, more: false }]);
});
