import assert from 'node:assert/strict';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createDatabase } from '@case-platform/lib/database';
import pg from 'pg';
import { seedTwins } from '../test/neighbors/seed-twins.ts';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/** Every uniqueness rule that the database enforces behind the code. */

after(() => owner.end());
const { url, pool } = await createTestDatabase();
await createDatabase(pool).transaction(seedTwins);
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();

/** Adds a row to tables that are otherwise empty. */
const ROWS = `
  insert into bank_return_file (file_sha256, filename, uploaded_by, content) values (sha256('1'), 'a.ach', 1, 'x');
  insert into bank_return_file (file_sha256, filename, uploaded_by, status, decided_by, decided_at)
  values (sha256('2'), 'a.ach', 1, 'applied', 2, now());
  insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by) values (1, 'a.pdf', 'x', 1, 'd', 1);
  insert into case_milestone (case_id, kind, happened_on, created_by) values (1, 'birth', '2026-01-05', 1);
  insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
  values (1, 'a.pdf', 'x', 1, 'r', 1);
  insert into ledger_transaction (case_id, kind, cash_entry_id) values (1, 'deposit', 1);
  insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason) values (1, 1, 1, 2, now(), 'x');
  insert into picture_rendition (storage_key, picture_key, width) values ('s', 'p', 64)`;

/** A unique rule of a table: the columns that two rows cannot have in common, and the rows that it applies to. */
interface Rule {
  table: string;
  columns: string[];
  where?: string;
}

const RULES: Record<string, Rule> = {
  'a link to another address opens one account': { table: 'address_change', columns: ['token_hash'] },
  'one change of address waits for each person': {
    table: 'address_change',
    columns: ['user_id'],
    where: 'confirmed_at is null and ended_at is null',
  },
  'a role has a unique name, ignoring case': { table: 'admin_role', columns: ['name'] },
  'a key belongs to one agency': { table: 'agency_api_key', columns: ['key_hash'] },
  'a return file waits once': { table: 'bank_return_file', columns: ['file_sha256'], where: `status = 'waiting'` },
  'a return file is applied once': { table: 'bank_return_file', columns: ['file_sha256'], where: `status = 'applied'` },
  'an agency’s event is stored once': { table: 'agency_event', columns: ['agency_id', 'event_id'] },
  'a session belongs to one person': { table: 'admin_session', columns: ['id_hash'] },
  'a code of an account is stored once': { table: 'backup_code', columns: ['user_id', 'code_hash'] },
  'a contract limits a category once': { table: 'case_benefit', columns: ['case_id'] },
  'a file belongs to one document': { table: 'case_document', columns: ['storage_key'] },
  'a milestone is reached once a day': {
    table: 'case_milestone',
    columns: ['case_id', 'kind', 'happened_on'],
    where: `kind <> 'other'`,
  },
  'a file belongs to one receipt': { table: 'disbursement_file', columns: ['storage_key'] },
  'an entry moves cash once': { table: 'ledger_transaction', columns: ['cash_entry_id'], where: 'cash_entry_id is not null' },
  'payments to a payee are stopped once in each case': {
    table: 'payment_stop',
    columns: ['payee_id', 'case_id'],
    where: 'cleared_at is null',
  },
  'a picture has one rendition of each width': { table: 'picture_rendition', columns: ['picture_key', 'width'] },
  'a person is on a case once': { table: 'case_participant', columns: ['case_id', 'user_id'] },
  'a delivery is made once': { table: 'delivery', columns: ['delivery_key'] },
  'a key makes one request safe to repeat': { table: 'idempotency_key', columns: ['user_id', 'key'] },
  'a sender uses a message key once': {
    table: 'message',
    columns: ['from_id', 'client_key'],
    where: 'client_key is not null',
  },
  'a person is in a conversation once': { table: 'message_chain_group', columns: ['chain_id', 'user_id'] },
  'a file belongs to one message': { table: 'message_file', columns: ['storage_key'] },
  'a message is read once by each person': { table: 'message_recipient', columns: ['message_id', 'user_id'] },
  'a person has one mail record for each conversation': { table: 'message_mail', columns: ['chain_id', 'user_id'] },
  'a choice is made once for each event and channel': {
    table: 'notification_preference',
    columns: ['user_id', 'event', 'channel'],
  },
  'a link to a password opens one account': { table: 'password_reset', columns: ['token_hash'] },
  'a device is registered once for each person': {
    table: 'push_subscription',
    columns: ['user_type', 'user_id', 'endpoint'],
  },
  'one role grant waits for each person': { table: 'role_grant', columns: ['user_id'], where: `status = 'waiting'` },
  'one change of each role waits': {
    table: 'role_grant',
    columns: ['admin_role_id'],
    where: `status = 'waiting' and user_id is null`,
  },
  'an address is blocked once for each channel': { table: 'suppression', columns: ['channel', 'address'] },
  'an address has one lifted suppression for each channel': {
    table: 'suppression_lift',
    columns: ['channel', 'address'],
  },
  'an address belongs to one record of each kind': { table: 'user_account', columns: ['email_address', 'user_type'] },
  'a person has one file of each kind': { table: 'user_file', columns: ['user_id', 'purpose'] },
  'a file belongs to one person': { table: 'user_file', columns: ['storage_key'] },
};

/** These columns distinguish kinds, so they accept only some values. */
const KINDS = ['purpose', 'channel', 'event', 'user_type'];
const fresh: Record<string, () => unknown> = {
  bytea: () => randomBytes(32),
  uuid: () => randomUUID(),
  text: () => `x-${randomBytes(9).toString('hex')}`,
  bigint: () => 1_000_000 + randomInt(1_000_000_000),
};

interface Column {
  name: string;
  type: string;
  is_unique: boolean;
}

/** Adds a copy of a row that has nothing unique in common with it except these columns. */
async function copyRow({ table, columns, where = 'true' }: Rule): Promise<void> {
  const { rows: all } = await owner.query<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type,
            exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as is_unique
       from pg_attribute a
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and a.attidentity = ''`,
    [table],
  );
  const isOther = ({ name, is_unique }: Column) => is_unique && ![...columns, ...KINDS].includes(name);
  const others = all.filter(isOther);
  const expressions = all.map((column) => {
    const { name, type } = column;
    return isOther(column) ? `case when ${name} is not null then $${others.indexOf(column) + 1}::${type} end` : name;
  });
  const { rowCount } = await owner.query(
    `insert into ${table} (${all.map(({ name }) => name).join(', ')})
     select ${expressions.join(', ')} from (select * from ${table} where ${where} limit 1) original`,
    others.map(({ type }) => fresh[type]?.()),
  );
  assert.equal(rowCount, 1, `${table} has a row`);
}

/** The indexes that rejected a copy. */
const enforced = new Set<string>();

/** The columns of an index, without expressions. */
async function listColumns(index: string): Promise<string[]> {
  const { rows } = await owner.query<{ columns: string[] }>(
    `select array_agg(a.attname::text order by a.attname) as columns
       from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indexrelid = $1::regclass`,
    [index],
  );
  return rows[0]?.columns ?? [];
}

for (const [words, rule] of Object.entries(RULES))
  test(`${words}: the table ${rule.table} rejects a second one`, async () => {
    await owner.query('begin');
    // Only unique indexes check the copy.
    await owner.query('set local session_replication_role = replica');
    await owner.query(`update message set client_key = 'key-' || id`);
    await owner.query(ROWS);
    const violation = await copyRow(rule).then(
      () => null,
      (error: pg.DatabaseError) => error,
    );
    await owner.query('rollback');
    assert.equal(violation?.code, '23505', violation?.message ?? 'the copy was added');
    assert.deepEqual(await listColumns(violation?.constraint ?? ''), rule.columns.toSorted());
    enforced.add(violation?.constraint ?? '');
  });

/** Unique indexes that other tests check, or whose columns contain those of another one. */
const CHECKED_ELSEWHERE = [
  'admin_role_name_idx',
  'banking_batch_entry_live_idx',
  'banking_batch_file_idx',
  'disbursement_request_scheduled_payment_idx',
  'ledger_transaction_id_case_id_key',
  'payee_bank_account_current_idx',
  'scheduled_payment_id_case_id_key',
];

test('every unique index except primary keys is behind one of these rules', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
      where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary order by 1`,
  );
  const others = rows.map(({ name }) => name).filter((name) => !enforced.has(name));
  assert.deepEqual(others, CHECKED_ELSEWHERE);
});
