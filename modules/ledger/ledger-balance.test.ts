import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../../test/support/database.ts';
import { fundCase } from '../../test/support/money.ts';
import { findCaseBalance } from './case-balance.ts';
import { requireFunds } from './ledger.ts';

const { db, pool, url } = await createTestDatabase();

async function newCase(amount_cents: number): Promise<number> {
  const [row] = await query<{ id: number }>(db, sql`insert into case_file (name) values ('Balance') returning id`);
  const id = row?.id ?? 0;
  await fundCase({ db }, id, amount_cents);
  return id;
}

/** Entries that two people agreed on. */
const agreed = (kind: string, { caseId, amount, times = 1 }: { caseId: number; amount: number; times?: number }) => sql`
  agreed as (
    insert into cash_entry (case_id, kind, amount_cents, recorded_by, status, decided_by, decided_at)
    select ${caseId}, ${kind}, ${amount}, maker, 'confirmed', checker, now()
      from generate_series(1, ${times}), (
        select min(id) as maker, max(id) as checker from user_account
         where email_address in ('root@demo.test', 'totp-admin@demo.test')) two
    returning id, case_id),
  made as (
    insert into ledger_transaction (case_id, kind, cash_entry_id) select case_id, ${kind}, id from agreed
    returning id, case_id)`;

/** Inserts a refund without the application's checks, so that only the database can reject it. */
const refund = (on: Database, caseId: number, amount: number) =>
  query(
    on,
    sql`with ${agreed('refund', { caseId, amount })}
        insert into ledger_posting select id, case_id, account, amount
          from made, (values ('funds', ${amount}::bigint), ('cash', -${amount}::bigint)) p (account, amount)`,
  );

const balances = async (caseId: number) =>
  (
    await pool.query('select account, amount_cents::int from ledger_balance where case_id = $1 order by account', [caseId])
  ).rows.map(({ account, amount_cents }) => [account, amount_cents]);

test('[LEDGER-1] the balance that postings are checked against is their sum', async () => {
  const caseId = await newCase(500);
  await fundCase({ db }, caseId, 25);
  assert.deepEqual(await balances(caseId), [
    ['cash', 525],
    ['funds', -525],
  ]);
  await assert.rejects(refund(db, caseId, 526), { code: '23514' });
  assert.deepEqual((await balances(caseId))[0], ['cash', 525]);
});

test('[LEDGER-2] only postings write a balance: neither the applications nor the schema’s owner can', async () => {
  const caseId = await newCase(100);
  const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
  await owner.connect();
  const statements = [
    'update ledger_balance set amount_cents = 1000000',
    'delete from ledger_balance',
    `insert into ledger_balance (case_id, account, amount_cents) values (${caseId}, 'held', -1)`,
    'truncate ledger_balance',
  ];
  try {
    for (const who of [pool, owner])
      for (const statement of statements) await assert.rejects(who.query(statement), { code: '42501' }, statement);
  } finally {
    await owner.end();
  }
});

test('[LEDGER-1] of two refunds that spend the same money at once, without a lock on the case, one is rejected', async () => {
  const caseId = await newCase(100);
  const both = await Promise.allSettled([refund(db, caseId, 60), refund(db, caseId, 60)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.deepEqual(await balances(caseId), [
    ['cash', 40],
    ['funds', -40],
  ]);
});

test('a posting is checked without reading earlier ones', async () => {
  const caseId = await newCase(100);
  await query(
    db,
    sql`with ${agreed('deposit', { caseId, amount: 7, times: 500 })}
        insert into ledger_posting select id, case_id, account, amount
          from made, (values ('cash', 7), ('funds', -7)) p (account, amount)`,
  );
  assert.deepEqual((await balances(caseId))[0], ['cash', 3600]);
  const read = await db.transaction(async (tx) => {
    await query(tx, sql`set local enable_seqscan = off`);
    // The count includes rows that this connection read before and has not reported yet.
    const before = await countRead(tx);
    await refund(tx, caseId, 1);
    await query(tx, sql`set constraints all immediate`);
    return (await countRead(tx)) - before;
  });
  // Each of its two postings is read by its own check, by that of the transaction, and by that of the cash entry.
  assert.ok(read >= 2 && read <= 8, `${read}`);
});

test('[LEDGER-1] the money of a case is read from its balances, not from its postings', async () => {
  const caseId = await newCase(500);
  await refund(db, caseId, 100);
  const { balance, read } = await db.transaction(async (tx) => {
    await query(tx, sql`set local enable_seqscan = off`);
    const before = await countRead(tx);
    const balance = await findCaseBalance(tx, caseId);
    await requireFunds(tx, { caseId, amountCents: 400 }, 'Too much');
    await assert.rejects(requireFunds(tx, { caseId, amountCents: 401 }, 'Too much'), { code: 'insufficient_funds' });
    return { balance, read: (await countRead(tx)) - before };
  });
  assert.deepEqual(balance, { funded_cents: 400, held_cents: 0, paid_cents: 0, available_cents: 400 });
  assert.equal(read, 0);
});

async function countRead(tx: Transaction): Promise<number> {
  const [row] = await query<{ count: number }>(
    tx,
    sql`select seq_tup_read + idx_tup_fetch as count from pg_stat_xact_user_tables where relname = 'ledger_posting'`,
  );
  return row?.count ?? Number.NaN;
}
