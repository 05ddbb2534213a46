import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/** What nobody may change: refused to the applications by their grants, and to the schema's owner by triggers. */

// Its connection is closed before the database goes.
after(() => owner.end());
const { url, pool } = await createTestDatabase();
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();

const GRANTED = ['audit_entry', 'ledger_transaction', 'ledger_posting'];
const TRIGGERED = [...GRANTED, 'banking_batch_step', 'batch_signature'];
const READ_ONLY = ['schema_migration', 'ledger_balance'];

/** One row of each, past every rule: a trigger for each row refuses nothing where there is none. */
await owner.query(`
  set session_replication_role = replica;
  insert into audit_entry (layer, action) values ('system', 'test.row');
  insert into ledger_transaction (case_id, kind) values (1, 'deposit');
  insert into ledger_posting (transaction_id, case_id, account, amount_cents)
    select id, case_id, 'cash', 1 from ledger_transaction;
  insert into ledger_balance (case_id, account, amount_cents) values (1, 'cash', 1) on conflict do nothing;
  insert into banking_batch (status, created_by, entry_count, total_cents)
    select 'draft', min(id), 0, 0 from user_account;
  insert into banking_batch_step (batch_id, status, user_id) select id, 'draft', created_by from banking_batch;
  insert into batch_signature (batch_id, user_id, file_sha256)
    select b.id, b.created_by, sha256('x') from banking_batch b;
  set session_replication_role = origin;
`);

const columnOf = async (table: string): Promise<string> =>
  (
    await owner.query(
      `select column_name from information_schema.columns where table_schema = 'public' and table_name = $1
        order by ordinal_position desc limit 1`,
      [table],
    )
  ).rows[0].column_name;

async function changesOf(table: string): Promise<string[]> {
  const column = await columnOf(table);
  return [`update ${table} set ${column} = ${column}`, `delete from ${table}`, `truncate ${table} cascade`];
}

for (const table of [...GRANTED, ...READ_ONLY]) {
  test(`[decisions 9] the applications’ role may not change, remove or empty ${table}`, async () => {
    for (const statement of await changesOf(table))
      await assert.rejects(pool.query(statement), { message: /^permission denied/ }, statement);
  });
}

for (const table of TRIGGERED) {
  test(`[decisions 9] not even the schema’s owner changes or removes a row of ${table}`, async () => {
    const [update = '', remove = '', empty = ''] = await changesOf(table);
    // By its own trigger: what is emptied with it has one too.
    for (const statement of GRANTED.includes(table) ? [update, remove, empty] : [update, remove])
      await assert.rejects(owner.query(statement), { message: `${table} is append-only` }, statement);
  });
}

test('[decisions 8] not even the schema’s owner writes, removes or empties balances', async () => {
  const insert = `insert into ledger_balance (case_id, account, amount_cents) values (2, 'cash', 1)`;
  for (const statement of [insert, ...(await changesOf('ledger_balance'))])
    await assert.rejects(owner.query(statement), pg.DatabaseError, statement);
});
