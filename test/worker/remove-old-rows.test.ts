import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_RETENTION, RETENTION } from '@case-platform/lib/config/read-retention';
import { claimIdempotencyKey } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import { listOpenSessions, openSession } from '@case-platform/modules/accounts';
import { OLD_ROWS, removeOldRows } from '../../apps/worker/remove-old-rows.ts';
import { createTestDatabase, vacuumAnalyze } from '../support/database.ts';
import { faultsOf, type PlanNode } from '../support/growth/watch-plans.ts';
import { oldRowsOf } from '../support/old-rows.ts';
import { inOpenTransaction } from '../support/run-overlapping.ts';

const MINUTE = 60_000;
const DAY = 24 * 3_600_000;

const { url, pool, db } = await createTestDatabase();
const { rows: people } = await pool.query('select id, user_type from user_account order by id limit 2');
const [person, other] = people;

const ROWS = oldRowsOf(person);
let names = 0;
async function add(table: string, at: Date, count = 1): Promise<void> {
  await pool.query(ROWS[table]?.insert ?? '', [at, `of-${names++}-`, count]);
}
async function countOf(table: string, at: Date): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as count from ${table} where ${ROWS[table]?.age} = $1`, [at]);
  return rows[0].count;
}

test('[RETAIN-1] each table with an age limit is tested here', () => {
  assert.deepEqual(OLD_ROWS.map(({ table }) => table).sort(), Object.keys(ROWS).sort());
});

for (const { table, retention: kept, hasMonths } of OLD_ROWS) {
  const whole = hasMonths ? 'its whole month' : 'it';
  test(`[RETAIN-1] ${table}: a row is removed once ${whole} is older than its days, and not a millisecond earlier`, async () => {
    const { least, usual } = RETENTION[kept];
    for (const days of new Set([least, usual, least + 1])) {
      const now = new Date(Date.now() - (days === usual ? 0 : MINUTE));
      const moment = new Date(now.getTime() - days * DAY);
      const limit = hasMonths ? new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth())) : moment;
      const [older, younger] = [1, 0].map((by) => new Date(limit.getTime() - by)) as [Date, Date];
      await add(table, older);
      await add(table, younger);
      await removeOldRows(db, { ...DEFAULT_RETENTION, [kept]: days }, now);
      assert.deepEqual([await countOf(table, older), await countOf(table, younger)], [0, 1], `${days} days`);
      await pool.query(`delete from ${table} where ${ROWS[table]?.age} = $1`, [younger]);
    }
  });
}

describe('[RETAIN-1] rows that are still needed stay, however old they are', () => {
  const old = new Date(Date.now() - 4000 * DAY);
  const inTenYears = new Date(Date.now() + 3000 * DAY);

  test('a waiting delivery stays, and is removed once it is done', async () => {
    // More than one step has, and one delivery after them that is done.
    await add('delivery', old, 301);
    await pool.query(
      `update delivery set state = 'queued' where created_at = $1 and id < (select max(id) from delivery where created_at = $1)`,
      [old],
    );
    await removeOldRows(db, DEFAULT_RETENTION, inTenYears);
    assert.equal(await countOf('delivery', old), 300);
    await pool.query(`update delivery set state = 'failed' where created_at = $1`, [old]);
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal(await countOf('delivery', old), 0);
  });

  test('the time of each person’s last sign-in stays, and so does the last invitation of someone who has not accepted it', async () => {
    await pool.query('delete from sign_in');
    await pool.query('delete from last_sign_in');
    await add('sign_in', old, 400);
    await pool.query(`insert into sign_in (user_id, layer, signed_in_at) values ($1, 'admin', $2)`, [other.id, old]);
    const { rows: invited } = await pool.query(
      `insert into user_account (email_address, user_type, status) values ('never-came@demo.test', 'ip', 'invited') returning id`,
    );
    for (const [sign, purpose, user] of [
      ['a', 'invitation', invited[0]],
      ['b', 'invitation', invited[0]],
      // Neither a later link of another kind nor a later invitation of another person replaces the last invitation.
      ['c', 'reset', invited[0]],
      ['d', 'invitation', other],
    ])
      await pool.query(
        `insert into password_reset (user_id, token_hash, purpose, created_at, expires_at)
         values ($1, sha256($2::bytea), $4, $3, $3)`,
        [user.id, sign, old, purpose],
      );
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal((await pool.query('select from sign_in')).rowCount, 0);
    const { rows } = await pool.query('select user_id, signed_in_at from last_sign_in order by 1');
    const each = [person.id, other.id].sort((a, b) => a - b).map((user_id) => ({ user_id, signed_in_at: old }));
    assert.deepEqual(rows, each);
    assert.equal(await countOf('password_reset', old), 1);
    await pool.query(`update user_account set status = 'active' where id = $1`, [invited[0].id]);
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal(await countOf('password_reset', old), 0);
  });

  test('an active session, and the key of a request in flight, stay', async () => {
    const now = new Date();
    const id = await openSession(db, person, now);
    await claimIdempotencyKey(db, person.id, 'under-way', Buffer.alloc(32), now);
    await removeOldRows(db, { ...DEFAULT_RETENTION, sessions: 1, idempotency_keys: 1 }, now);
    const open = await listOpenSessions(db, person.id, { currentId: id, idleSeconds: 3600 }, now);
    assert.ok(open.some(({ current }) => current));
    const again = claimIdempotencyKey(db, person.id, 'under-way', Buffer.alloc(32), now);
    await assert.rejects(again, { code: 'idempotency_key_in_flight' });
  });
});

describe('[RETAIN-1] in small steps', () => {
  const old = new Date(Date.now() - 30 * DAY);

  test('several jobs at once remove everything, and do not wait for a row that is in use', async () => {
    await add('idempotency_key', old, 2000);
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from idempotency_key where created_at = $1 limit 1 for update', [old]);
      await Promise.all(Array.from({ length: 4 }, () => removeOldRows(db, DEFAULT_RETENTION, new Date())));
      assert.equal(await countOf('idempotency_key', old), 1);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal(await countOf('idempotency_key', old), 0);
  });

  test('rows that one job does not reach are removed by the next one', async () => {
    const waiting = `select from graphile_worker.jobs where task_identifier = 'remove_old_rows'`;
    // Rows left by other tests would count among those that the job removes.
    await pool.query('delete from provider_report');
    await add('provider_report', old, 60_100);
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal(await countOf('provider_report', old), 100);
    assert.equal((await pool.query(waiting)).rowCount, 1);
    await removeOldRows(db, DEFAULT_RETENTION, new Date());
    assert.equal(await countOf('provider_report', old), 0);
  });

  for (const { table, step } of OLD_ROWS)
    test(`${table}: a step does not wait for a row that is in use`, async () => {
      const at = new Date(Date.now() - 6000 * DAY);
      const age = `${ROWS[table]?.age} = $1`;
      await add(table, at, 2);
      await inOpenTransaction(pool, async (holder) => {
        await holder.query(`select from ${table} where ${age} limit 1 for update`, [at]);
        await db.transaction(async (tx) => {
          // Only a wait for the lock counts, so that a step which waits fails soon.
          await query(tx, sql`set local lock_timeout = '1s'`);
          await query(tx, step({ before: new Date(at.getTime() + 1), limit: 300, after: { at: '-infinity', id: 0 } }));
        });
        assert.equal(await countOf(table, at), 1);
      });
      await pool.query(`delete from ${table} where ${age}`, [at]);
    });

  for (const rows of OLD_ROWS) {
    test(`${rows.table}: a step reads only its own rows, by an index`, async () => {
      // Months are told apart by their partitions: these are in the same one as the old rows.
      await add(rows.table, new Date(Date.now() - (rows.hasMonths ? 3000 * DAY : 0)), 20_000);
      await add(rows.table, new Date(Date.now() - 5000 * DAY), 10);
      await vacuumAnalyze({ url }, rows.table);
      const before = new Date(Date.now() - 4000 * DAY);
      const { text, parameters } = rows.step({ before, limit: 300, after: { at: '-infinity', id: 0 } });
      const client = await pool.connect();
      try {
        for (const mode of ['force_custom_plan', 'force_generic_plan']) {
          await client.query('begin');
          await client.query(`set local plan_cache_mode = ${mode}`);
          const name = `${mode} ${rows.table}`;
          const explain = `explain (analyze, timing off, format json) ${text}`;
          const { rows: plans } = await client.query({ name, text: explain, values: [...parameters] });
          await client.query('rollback');
          const plan: PlanNode = plans[0]['QUERY PLAN'][0].Plan;
          assert.deepEqual(faultsOf(plan, [rows.table], 400), [], JSON.stringify(plan));
        }
      } finally {
        client.release();
      }
    });
  }
});
