import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createDatabase } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { warnOfShortfalls } from '@case-platform/modules/banking';
import { listDisbursements } from '@case-platform/modules/disbursements';
import { countUnread, listChains, markUnread, markViewed } from '@case-platform/modules/messaging';
import { createTestDatabase, vacuumAnalyze } from '../support/database.ts';
import { everyList, second } from '../support/growth/every-list.ts';
import { MANY, seedMany } from '../support/growth/seed-many.ts';
import { watchPlans } from '../support/growth/watch-plans.ts';

const BIG = [
  'user_account',
  'case_file',
  'case_participant',
  'case_admin',
  'case_milestone',
  'scheduled_payment',
  'message_chain',
  'message_chain_group',
  'message',
  'message_recipient',
  'disbursement_request',
  'ledger_transaction',
  'ledger_posting',
  'ledger_balance',
  'cash_entry',
  'case_benefit',
  'banking_batch',
  'delivery',
  'audit_entry',
];
/** More rows than any page needs, and a fraction of the table. */
const MOST_ROWS = MANY / 10;

const { url, pool } = await createTestDatabase();
const { caseId, adminId, parentId, surrogateId, takeForVisible } = await seedMany(url);
const { db, statements, faults, end } = watchPlans(url, BIG, MOST_ROWS);
after(end);

async function person(column: 'id' | 'email_address', value: number | string): Promise<User> {
  return (await pool.query(`select * from user_account where ${column} = $1 order by id limit 1`, [value])).rows[0];
}
const root = await person('email_address', 'root@demo.test');
const finance = await person('email_address', 'finance@demo.test');
const specialist = await person('id', adminId);
const parent = await person('id', parentId);
const surrogate = await person('id', surrogateId);
const owner = await person('email_address', 'many-owner-7@demo.test');
const LISTS = everyList(db, { root, finance, specialist, parent, surrogate, owner, caseId });

for (const all of [true, false]) {
  describe(`${all ? 'every page' : 'no page'} visible to all`, () => {
    before(() => takeForVisible(all));
    for (const [name, list] of Object.entries(LISTS)) {
      test(`[DATABASE-6] ${name}: by an index, whatever the size of the tables`, async () => {
        statements.length = 0;
        faults.length = 0;
        await list();
        assert.ok(statements.length > 0, 'something was asked');
        assert.deepEqual(faults, [], statements.join('\n'));
      });
    }
  });
}

test('[DATABASE-6, PROJECTION-3] shortfalls are checked a few hundred cases at a time, each by an index', async () => {
  // The limit is higher, because some of the cases that are read are closed or have nothing planned.
  const wide = watchPlans(url, BIG, MANY / 4);
  after(wide.end);
  const webUrl = 'http://localhost:3000';
  // No notification is written, so that every case is checked.
  const quiet = { ...wide.db, transaction: async () => undefined as never };
  await warnOfShortfalls({ db: quiet, webUrl, adminUrl: webUrl }, new Date());
  assert.ok(wide.statements.length > 5, String(wide.statements.length));
  assert.deepEqual(wide.faults, []);
});

test('[DATABASE-6] for someone with very many cases, all of them are read, but only a page of their content', async () => {
  const cases = 1600;
  const { rows: some } = await pool.query<{ id: string }>(
    `select id, agency_id, escrow_specialist_id from case_file where name like 'Many %' order by id limit ${cases}`,
  );
  const ids = some.map(({ id }) => id);
  await pool.query('update case_file set agency_id = $1, escrow_specialist_id = $2 where id = any($3)', [
    owner.agency_id,
    adminId,
    ids,
  ]);
  await pool.query(
    `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by, submitted_at)
     select id, 'submitted', 100, 'travel', 'One of many', $1, $1, $1, now() from unnest($2::bigint[]) id, generate_series(1, 12)`,
    [surrogateId, ids],
  );
  try {
    await vacuumAnalyze({ url }, 'case_file', 'disbursement_request');
    const wide = watchPlans(url, BIG, 2 * cases);
    after(wide.end);
    await second((cursor) => listDisbursements(wide.db, owner, { cursor }, new Date()));
    await listChains(wide.db, specialist, {});
    await countUnread(wide.db, specialist);
    assert.equal(wide.statements.length, 4);
    assert.deepEqual(wide.faults, []);
  } finally {
    await pool.query(`delete from disbursement_request where description = 'One of many'`);
    await pool.query(
      `update case_file c set agency_id = b.agency_id, escrow_specialist_id = b.escrow_specialist_id
         from jsonb_to_recordset($1) as b (id bigint, agency_id bigint, escrow_specialist_id bigint) where b.id = c.id`,
      [JSON.stringify(some)],
    );
    await vacuumAnalyze({ url }, 'case_file', 'disbursement_request', 'case_admin');
  }
});

test('[DATABASE-6, UNREAD-6] marking an old conversation as viewed or unread reads its own messages, by an index', async () => {
  const plain = createDatabase(pool);
  const { rows } = await pool.query(`select user_id, chain_id from message_recipient order by message_id limit 1`);
  const member = await person('id', rows[0].user_id);
  for (const mark of [markUnread, markViewed])
    await plain.transaction(async (tx) => {
      await mark(tx, member, rows[0].chain_id);
      const [row] = await query<{ count: number }>(
        tx,
        sql`select sum(seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables
             where relname in ('message', 'message_recipient')`,
      );
      assert.ok((row?.count ?? MANY) < 100, `${mark.name} reads ${row?.count} rows`);
    });
});

test('[DATABASE-6] the check recognizes a plan that reads a whole table', async () => {
  faults.length = 0;
  await query(db, sql`select id from delivery where recipient = ${'nobody'}`);
  await query(db, sql`select id from case_file order by id`);
  assert.match(faults.join(), /Seq Scan of delivery reads all of it[\s\S]*case_file/);
});
