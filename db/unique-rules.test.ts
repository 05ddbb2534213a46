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
  'an agency’s event is stored once': { table: 'agency_event', columns: ['agency_id', 'event_id'] },
  'a session belongs to one person': { table: 'admin_session', columns: ['id_hash'] },
  'a code of an account is stored once': { table: 'backup_code', columns: ['user_id', 'code_hash'] },
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
    const violation = await copyRow(rule).then(
      () => null,
      (error: pg.DatabaseError) => error,
    );
    await owner.query('rollback');
    assert.equal(violation?.code, '23505', violation?.message ?? 'the copy was added');
    assert.deepEqual(await listColumns(violation?.constraint ?? ''), rule.columns.toSorted());
  });
