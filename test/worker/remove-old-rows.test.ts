import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RETENTION, USUAL_RETENTION } from '@case-platform/lib/config/read-retention';
import { claimIdempotencyKey } from '@case-platform/lib/idempotency';
import { listOpenSessions, openSession } from '@case-platform/modules/accounts';
import { OLD_ROWS, removeOldRows } from '../../apps/worker/remove-old-rows.ts';
import { createTestDatabase, vacuumAnalyze } from '../support/database.ts';
import { faultsOf, type PlanNode } from '../support/growth/watch-plans.ts';

const MINUTE = 60_000;
const DAY = 24 * 3_600_000;

const { url, pool, db } = await createTestDatabase();
const { rows: people } = await pool.query('select id, user_type from user_account order by id limit 2');
const [person, other] = people;

/** How rows of a table come to be, $3 of them: of the time $1, under names that begin with $2; and what they are counted by. */
const ROWS: Record<string, { insert: string; age: string }> = {
  idempotency_key: {
    insert: `insert into idempotency_key (user_id, key, request_hash, created_at)
             select ${person.id}, $2 || n, sha256('x'), $1 from generate_series(1, $3::int) n`,
    age: 'created_at',
  },
  admin_session: {
    insert: `insert into admin_session (id_hash, user_id, user_type, csrf_token, created_at, last_active_at, confirmed_at)
             select sha256(($2 || n)::bytea), ${person.id}, '${person.user_type}', 'x', $1, $1, $1 from generate_series(1, $3::int) n`,
    age: 'last_active_at',
  },
  ended_web_session: {
    insert: `insert into ended_web_session (id_hash, user_id, ended_at)
             select sha256(($2 || n)::bytea), ${person.id}, $1 from generate_series(1, $3::int) n`,
    age: 'ended_at',
  },
  tfa_challenge: {
    insert: `insert into tfa_challenge (id, user_id, purpose, method, created_at, expires_at)
             select md5($2 || n)::uuid, ${person.id}, 'api_login', 'email', $1, $1 from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  throttle: {
    insert: `insert into throttle (key, points, expire)
             select $2 || n, 1, extract(epoch from $1::timestamptz) * 1000 from generate_series(1, $3::int) n`,
    age: 'to_timestamp(expire / 1000.0)',
  },
  sign_in: {
    insert: `insert into sign_in (user_id, layer, user_agent, signed_in_at)
             select ${person.id}, 'api', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'signed_in_at',
  },
  password_reset: {
    insert: `insert into password_reset (user_id, token_hash, created_at, expires_at)
             select ${person.id}, sha256(($2 || n)::bytea), $1, $1 from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  address_change: {
    insert: `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, ended_at)
             select ${person.id}, 'old@demo.test', 'new@demo.test', sha256(($2 || n)::bytea), ${person.id}, $1, $1, $1
               from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  agency_event: {
    insert: `insert into agency_event (agency_id, event_id, type, received_at)
             select (select min(id) from agency), $2 || n, 'told', $1 from generate_series(1, $3::int) n`,
    age: 'received_at',
  },
  delivery: {
    insert: `insert into delivery (delivery_key, channel, event, recipient, state, created_at)
             select $2 || n, 'email', 'new_message', 'old@demo.test', 'sent', $1 from generate_series(1, $3::int) n`,
    age: 'created_at',
  },
  provider_report: {
    insert: `insert into provider_report (source, report_id, received_at)
             select 'twilio', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'received_at',
  },
  suppression_lift: {
    insert: `insert into suppression_lift (channel, address, lifted_at)
             select 'email', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'lifted_at',
  },
  proof_of_funds: {
    insert: `insert into proof_of_funds (code_hash, case_id, amount_cents, made_by, made_at, expires_at)
             select sha256(($2 || n)::bytea), (select min(id) from case_file), 1, ${person.id}, $1::timestamptz - interval '90 days', $1
               from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
};

let names = 0;
async function add(table: string, at: Date, count = 1): Promise<void> {
  await pool.query(ROWS[table]?.insert ?? '', [at, `of-${names++}-`, count]);
}
async function countOf(table: string, at: Date): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as count from ${table} where ${ROWS[table]?.age} = $1`, [at]);
  return rows[0].count;
}

test('[decisions 15] each table of which rows are removed is tested here', () => {
  assert.deepEqual(OLD_ROWS.map(({ table }) => table).sort(), Object.keys(ROWS).sort());
});

for (const { table, kept } of OLD_ROWS) {
  test(`[decisions 15] ${table}: what is older than its days is removed, what is a minute younger stays`, async () => {
    const { least, usual } = RETENTION[kept];
    for (const days of new Set([least, usual, least + 1])) {
      const now = new Date(Date.now() - (days === usual ? 0 : MINUTE));
      const [older, younger] = [MINUTE, -MINUTE].map((by) => new Date(now.getTime() - days * DAY - by)) as [Date, Date];
      await add(table, older);
      await add(table, younger);
      await removeOldRows(db, now, { ...USUAL_RETENTION, [kept]: days });
      assert.deepEqual([await countOf(table, older), await countOf(table, younger)], [0, 1], `${days} days`);
    }
  });
}

describe('[decisions 15] what is still needed stays, however old it is', () => {
  const old = new Date(Date.now() - 4000 * DAY);
  const inTenYears = new Date(Date.now() + 3000 * DAY);

  test('a delivery that waits; it goes once it is done', async () => {
    await add('delivery', old, 2);
    await pool.query(`update delivery set state = 'queued' where created_at = $1`, [old]);
    await removeOldRows(db, inTenYears);
    assert.equal(await countOf('delivery', old), 2);
    await pool.query(`update delivery set state = 'failed' where created_at = $1`, [old]);
    await removeOldRows(db, new Date());
    assert.equal(await countOf('delivery', old), 0);
  });

  test('the last sign-in of each person, and the last invitation of somebody who has not come', async () => {
    await pool.query('delete from sign_in');
    await add('sign_in', old, 400);
    await pool.query(`insert into sign_in (user_id, layer, signed_in_at) values ($1, 'admin', $2)`, [other.id, old]);
    const { rows: invited } = await pool.query(
      `insert into user_account (email_address, user_type, status) values ('never-came@demo.test', 'ip', 'invited') returning id`,
    );
    for (const sign of ['a', 'b'])
      await pool.query(
        `insert into password_reset (user_id, token_hash, purpose, created_at, expires_at)
         values ($1, sha256($2::bytea), 'invitation', $3, $3)`,
        [invited[0].id, sign, old],
      );
    await removeOldRows(db, new Date());
    const { rows } = await pool.query('select user_id, count(*)::int as count from sign_in group by 1 order by 1');
    const each = [person.id, other.id].sort((a, b) => a - b).map((user_id) => ({ user_id, count: 1 }));
    assert.deepEqual(rows, each);
    assert.equal(await countOf('password_reset', old), 1);
    await pool.query(`update user_account set status = 'active' where id = $1`, [invited[0].id]);
    await removeOldRows(db, new Date());
    assert.equal(await countOf('password_reset', old), 0);
  });

  test('a session that is alive, and a key whose request is under way', async () => {
    const now = new Date();
    const id = await openSession(db, person, now);
    await claimIdempotencyKey(db, person.id, 'under-way', Buffer.alloc(32), now);
    await removeOldRows(db, now, { ...USUAL_RETENTION, sessions: 1, idempotency_keys: 1 });
    const open = await listOpenSessions(db, person.id, { currentId: id, idleSeconds: 3600, now });
    assert.ok(open.some(({ current }) => current));
    const again = claimIdempotencyKey(db, person.id, 'under-way', Buffer.alloc(32));
    await assert.rejects(again, { code: 'idempotency_key_in_flight' });
  });
});

describe('[decisions 15] in small steps', () => {
  const old = new Date(Date.now() - 30 * DAY);

  test('several at once remove everything once, and none waits for a row that is in use', async () => {
    await add('idempotency_key', old, 2000);
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from idempotency_key where created_at = $1 limit 1 for update', [old]);
      await Promise.all(Array.from({ length: 4 }, () => removeOldRows(db, new Date())));
      assert.equal(await countOf('idempotency_key', old), 1);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await removeOldRows(db, new Date());
    assert.equal(await countOf('idempotency_key', old), 0);
  });

  test('what one job does not reach is another one’s', async () => {
    const waiting = `select from graphile_worker.jobs where task_identifier = 'remove_old_rows'`;
    // What other tests leave would count among what the job removes.
    await pool.query('delete from provider_report');
    await add('provider_report', old, 60_100);
    await removeOldRows(db, new Date());
    assert.equal(await countOf('provider_report', old), 100);
    assert.equal((await pool.query(waiting)).rowCount, 1);
    await removeOldRows(db, new Date());
    assert.equal(await countOf('provider_report', old), 0);
  });

  for (const rows of OLD_ROWS) {
    test(`${rows.table}: a step looks at the rows of its own alone, by an index`, async () => {
      await add(rows.table, new Date(), 20_000);
      await add(rows.table, new Date(Date.now() - 5000 * DAY), 10);
      await vacuumAnalyze({ url }, rows.table);
      const before = new Date(Date.now() - 4000 * DAY);
      const { text, parameters } = rows.step({ before, most: 300, after: { at: '-infinity', id: 0 } });
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
