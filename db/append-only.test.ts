import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/** Rows that no one may change: grants stop the applications, and triggers stop the schema's owner. */

// Closes its connection before the database is dropped.
after(() => owner.end());
const { url, pool } = await createTestDatabase();
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();

const GRANTED = ['audit_entry', 'ledger_transaction', 'ledger_posting'];
const TRIGGERED = [...GRANTED, 'banking_batch_step', 'batch_signature'];
const READ_ONLY = ['schema_migration', 'ledger_balance'];

/** Adds one row to each table, past all rules, because a row trigger rejects nothing in an empty table. */
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
  test(`[AUDIT-2] the applications’ role may not change, remove, or empty ${table}`, async () => {
    for (const statement of await changesOf(table))
      await assert.rejects(pool.query(statement), { message: /^permission denied/ }, statement);
  });
}

for (const table of TRIGGERED) {
  test(`[AUDIT-2] the schema’s owner cannot change or remove a row of ${table} either`, async () => {
    const [update = '', remove = '', empty = ''] = await changesOf(table);
    // Only these have a trigger against `truncate`. The error must come from their own, although tables emptied with them have
    // one too.
    for (const statement of GRANTED.includes(table) ? [update, remove, empty] : [update, remove])
      await assert.rejects(owner.query(statement), { message: `${table} is append-only` }, statement);
  });
}

test('[LEDGER-2] the schema’s owner cannot write, remove, or empty balances', async () => {
  const insert = `insert into ledger_balance (case_id, account, amount_cents) values (2, 'cash', 1)`;
  for (const statement of [insert, ...(await changesOf('ledger_balance'))])
    await assert.rejects(owner.query(statement), pg.DatabaseError, statement);
});

/** The columns of append-only records that erasing a person may rewrite: text about people, and nothing else. */
const ERASABLE: Record<string, string[]> = {
  audit_entry: ['subject_label', 'before', 'after', 'ip_address', 'visit_id'],
  banking_batch_step: ['note'],
  batch_signature: [],
  ledger_transaction: ['memo'],
  ledger_posting: [],
};

interface Column {
  name: string;
  /** An expression for another value than the current one. */
  other: string;
}

async function listColumns(table: string): Promise<Column[]> {
  const others: Record<string, (name: string) => string> = {
    bigint: (name) => `coalesce(${name}, 0) + 1`,
    text: (name) => `coalesce(${name}, '') || 'x'`,
    bytea: () => `sha256('other')`,
    uuid: () => `gen_random_uuid()`,
    inet: () => `'192.0.2.200'`,
    jsonb: () => `'{"other": 1}'`,
    'text[]': () => `array['other']`,
    'bigint[]': () => `array[999]`,
    'timestamp with time zone': () => `'2001-01-01'`,
  };
  const { rows } = await owner.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a'`,
    [table],
  );
  return rows.map(({ name, type }) => {
    const other = others[type];
    assert.ok(other, `${table}.${name} is ${type}`);
    return { name, other: other(name) };
  });
}

/** Lists the columns that the trigger lets the owner of the table change. */
async function listChangeable(table: string, refusal: RegExp, where = 'true'): Promise<string[]> {
  const changeable: string[] = [];
  for (const { name, other } of await listColumns(table)) {
    await owner.query('begin');
    const isRejected = await owner.query(`update ${table} set ${name} = ${other} where ${where}`).then(
      ({ rowCount }) => assert.ok(rowCount, table),
      (error) => refusal.test(error.message),
    );
    await owner.query('rollback');
    if (isRejected !== true) changeable.push(name);
  }
  return changeable.sort();
}

for (const table of TRIGGERED) {
  test(`[PRIVACY-2] erasing a person rewrites words about people in ${table}, and nothing else`, async () => {
    const refusal = new RegExp(`^${table} is append-only$`);
    assert.deepEqual(await listChangeable(table, refusal), []);
    await owner.query(`set platform.erasing = 'yes'`);
    try {
      assert.deepEqual(await listChangeable(table, refusal), (ERASABLE[table] ?? []).toSorted());
      await assert.rejects(owner.query(`delete from ${table}`), { message: `${table} is append-only` });
    } finally {
      await owner.query('reset platform.erasing');
    }
  });
}

/** Records that wait for a second person. Only the decision may be written, and nothing of what was requested may change. */
const DECIDED = [
  {
    table: 'role_grant',
    refusal: /^a grant is decided once and never changed$/,
    decision: ['decided_at', 'decided_by', 'status'],
    isDeletable: true,
    isNeverEmptied: false,
    insert: `insert into role_grant (admin_role_id, user_id, asked_by, status, decided_by, decided_at)
             select r.id, u.id, u.id, s.status, case when s.status <> 'waiting' then u.id end, case when s.status <> 'waiting' then now() end
               from (select min(id) as id from admin_role) r, (select min(id) as id from user_account) u,
                    unnest(array['waiting', 'confirmed', 'refused']) s (status)`,
  },
  {
    table: 'cash_entry',
    refusal: /^a cash entry is decided once and never changed$/,
    decision: ['decided_at', 'decided_by', 'decision_reason', 'status'],
    isDeletable: false,
    isNeverEmptied: true,
    insert: `insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by, status, decided_by, decided_at, decision_reason)
             select 1, 'deposit', 1, 'x', u.id, s.status, case when s.status <> 'waiting' then u.id end,
                    case when s.status <> 'waiting' then now() end, case when s.status = 'refused' then 'x' end
               from (select min(id) as id from user_account) u, unnest(array['waiting', 'confirmed', 'refused']) s (status)`,
  },
  {
    table: 'bank_return_file',
    refusal: /^a return file is decided once and never changed$/,
    // The text can only be removed. No command changes the list of requests, and the trigger does not compare it.
    decision: ['decided_at', 'decided_by', 'decision_reason', 'disbursement_ids', 'status'],
    isDeletable: false,
    isNeverEmptied: false,
    insert: `insert into bank_return_file (file_sha256, filename, uploaded_by, status, content, decided_by, decided_at, decision_reason)
             select sha256(s.status::bytea), 'a.txt', u.id, s.status, case when s.status = 'waiting' then 'x'::bytea end,
                    case when s.status <> 'waiting' then u.id end, case when s.status <> 'waiting' then now() end,
                    case when s.status = 'refused' then 'x' end
               from (select min(id) as id from user_account) u, unnest(array['waiting', 'applied', 'refused']) s (status)`,
  },
];

for (const { table, refusal, decision, isDeletable, isNeverEmptied, insert } of DECIDED)
  test(`[DEPOSIT-1, PERSON-6] only the decision about a ${table} can be written, and only once`, async () => {
    await owner.query(`set session_replication_role = replica; ${insert}; set session_replication_role = origin`);
    assert.deepEqual(await listChangeable(table, refusal, `status = 'waiting'`), decision);
    for (const status of ['confirmed', 'applied', 'refused']) {
      const { rowCount } = await owner.query(`select from ${table} where status = $1`, [status]);
      if (rowCount) assert.deepEqual(await listChangeable(table, refusal, `status = '${status}'`), [], status);
    }
    if (!isDeletable) await assert.rejects(owner.query(`delete from ${table}`), { message: refusal });
    if (isNeverEmptied) await assert.rejects(owner.query(`truncate ${table} cascade`), { message: `${table} is append-only` });
  });
