import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { accessOf, PROCESSES, type ProcessRole } from '@case-platform/db/access';
import { DEFAULT_RETENTION } from '@case-platform/lib/config/read-retention';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { removeOldRows } from '../../apps/worker/remove-old-rows.ts';
import { applicationUrl, createTestDatabase, serverUrl } from '../support/database.ts';
import { oldRowsOf } from '../support/old-rows.ts';
import { accessNeededBy, readSchema, type Verb } from './needed-access.ts';
import { statementsOf } from './statements.ts';

/** Checks that each process has exactly the database rights that its code needs, and tries what these rights forbid. */

const name = new URL((await createTestDatabase()).url).pathname.slice(1);
const open = (url: string) => {
  const pool = createPool({ url, name: 'roles', max: 1 });
  after(() => pool.end());
  return pool;
};
const owner = open(serverUrl(name));
const schema = await readSchema(owner);

describe('a process has the rights that its code needs', () => {
  for (const process of PROCESSES)
    test(`[DATABASE-5] ${process}: no right is missing, and no extra one is granted`, () => {
      const needed = accessNeededBy(process, schema);
      // By a library: modules/accounts/sign-in/throttle.ts.
      const counting = new Map(['r', 'a', 'c', 'd'].map((verb) => [verb as Verb, 'throttle.ts']));
      if (process !== 'worker') needed.set('throttle', counting);
      const own = accessOf(process).filter(({ table }) => table.startsWith('public.'));
      const granted = new Map(own.map(({ table, verbs }) => [table.slice('public.'.length), verbs]));
      const missing = [...needed].flatMap(([table, verbs]) =>
        [...verbs].flatMap(([verb, place]) => {
          const has = (one: Verb) => granted.get(table)?.includes(one) === true;
          return has(verb) || (verb === 'l' && has('c')) ? [] : [`${process} ${table} ${verb}: ${place}`];
        }),
      );
      const leftOver = [...granted].flatMap(([table, verbs]) =>
        verbs.filter((verb) => needed.get(table)?.has(verb) !== true).map((verb) => `${process} ${table} ${verb}`),
      );
      assert.deepEqual(missing, []);
      assert.deepEqual(leftOver, []);
    });

  test('[DATABASE-5] no statement of the worker names a secret of an account, or reads all columns', () => {
    const secret = /\b(password_hash|password_stands_alone|two_factor_secret|totp_last_step|account_number)\b/;
    const whole = /\b(\w+\.)?\*\s+from\s+(user_account|payee_bank_account)\b/;
    const statements = statementsOf('worker').filter(({ texts }) => texts.some((text) => secret.test(text) || whole.test(text)));
    assert.deepEqual(statements, []);
  });
});

test('[RETAIN-1, DATABASE-5] the worker removes old rows of every kind', async () => {
  const db = createDatabase(open(applicationUrl(name, 'worker')));
  const { rows: people } = await owner.query('select id, user_type from user_account order by id limit 1');
  const kinds = Object.entries(oldRowsOf(people[0]));
  const old = new Date(Date.now() - 4000 * 86_400_000);
  for (const [, { insert }] of kinds) await owner.query(insert, [old, 'old-', 2]);
  const counts = async () => {
    const count = async (table: string, age: string) =>
      (await owner.query(`select from ${table} where ${age} = $1`, [old])).rowCount;
    return Promise.all(kinds.map(async ([table, { age }]) => `${table} ${await count(table, age)}`));
  };
  assert.deepEqual(
    await counts(),
    // The two deliveries have keys too.
    kinds.map(([table]) => `${table} ${table === 'delivery_key' ? 4 : 2}`),
  );
  await removeOldRows(db, DEFAULT_RETENTION, new Date());
  assert.deepEqual(
    await counts(),
    kinds.map(([table]) => `${table} 0`),
  );
});

test('[DATABASE-5] each hash and each encrypted value is read by the processes that work with it, and by no other', async () => {
  // They are all of this type, so a new one has to be listed here.
  const columns = `select format('%s.%s', c.table_name, c.column_name) as place from information_schema.columns c
    where c.table_schema = 'public' and c.data_type = 'bytea'
      and has_column_privilege(format('public.%I', c.table_name)::regclass, c.column_name::name, 'select') order by 1`;
  const readers: Record<string, string> = {};
  for (const process of PROCESSES) {
    const { rows } = await open(applicationUrl(name, process)).query<{ place: string }>(columns);
    for (const { place } of rows) readers[place] = place in readers ? `${readers[place]} ${process}` : process;
  }
  assert.deepEqual(readers, {
    'address_change.token_hash': 'api admin',
    'admin_session.id_hash': 'api admin worker',
    'agency_api_key.key_hash': 'api admin',
    'backup_code.code_hash': 'api admin',
    'bank_profile.offset_account_number': 'admin',
    'bank_return_file.content': 'admin',
    'bank_return_file.file_sha256': 'admin',
    'banking_batch.file': 'admin',
    'banking_batch.file_sha256': 'api admin',
    'batch_signature.file_sha256': 'admin',
    'ended_web_session.id_hash': 'api admin worker',
    'idempotency_key.request_hash': 'api admin worker',
    'password_reset.token_hash': 'api admin',
    'payee_bank_account.account_number': 'api admin',
    'payee_bank_account.correction': 'admin',
    'tfa_challenge.code_hash': 'api admin',
    'tfa_challenge.new_secret': 'api admin',
    'unsubscribe_key.key': 'api worker',
    'user_account.two_factor_secret': 'api admin',
  });
});

test('[DATABASE-5] where a process changes only some columns of a table, they are these', async () => {
  const columns = `select c.table_name::text as place,
           string_agg(c.column_name, ' ' order by c.column_name) filter (where r.may_change) as names
      from information_schema.columns c
     cross join lateral (select has_column_privilege(format('public.%I', c.table_name)::regclass, c.column_name::name, 'update')
                             as may_change) r
     where c.table_schema = 'public' group by 1 having bool_or(r.may_change) and not bool_and(r.may_change) order by 1`;
  const grants: Record<string, string> = {};
  for (const process of PROCESSES) {
    const { rows } = await open(applicationUrl(name, process)).query<{ place: string; names: string }>(columns);
    for (const { place, names } of rows) grants[`${process} ${place}`] = names;
  }
  assert.deepEqual(grants, {
    'api agency_api_key': 'last_used_at',
    'api banking_batch': 'approved_by entry_count status total_cents',
    'api banking_batch_entry': 'released_at',
    'api case_file': 'id',
    'api payee_bank_account': 'replaced_at',
    'api scheduled_payment': 'id',
    'api user_account': [
      'email_address first_name last_name password_hash password_stands_alone phone',
      'search search_version status timezone totp_last_step two_factor_method two_factor_secret two_factor_since',
      'updated_at',
    ].join(' '),
    'worker address_change': 'id',
    'worker admin_session': 'user_type',
    'worker agency_event': 'received_at',
    'worker case_file': 'close_reminded_for search search_version',
    'worker delivery_key': 'created_at',
    'worker disbursement_request': 'approver_id moved_because promised_before promised_date search search_version updated_at',
    'worker ended_web_session': 'ended_at',
    'worker idempotency_key': 'created_at',
    'worker message': 'search search_version',
    'worker password_reset': 'id',
    'worker pending_upload': 'id',
    'worker provider_report': 'received_at',
    'worker push_subscription': 'renew_since',
    'worker sign_in': 'id',
    'worker suppression_lift': 'lifted_at',
    'worker tfa_challenge': 'created_at',
    'worker throttle': 'expire',
    'worker user_account': 'search search_version',
  });
});

describe('the rights that a process does not have', () => {
  const KEPT: Record<ProcessRole, Record<string, string[]>> = {
    worker: {
      'read passwords, seeds and codes': [
        'select password_hash from user_account',
        'select two_factor_secret from user_account',
        'select totp_last_step from user_account',
        'select * from user_account',
        'select u from user_account u',
        `select id from user_account where password_hash = 'x'`,
        'select code_hash from backup_code',
        'select code_hash from tfa_challenge',
        'select token_hash from password_reset',
        'select token_hash from address_change',
      ],
      'read sessions, keys and tries': [
        'select csrf_token from admin_session',
        'select key_hash from agency_api_key',
        'select points from throttle',
        'select ip_address from sign_in',
      ],
      'read where money goes': [
        'select account_number from payee_bank_account',
        'select routing_number from payee_bank_account',
        'select file from banking_batch',
        'select * from bank_profile',
      ],
      'change accounts': [
        `update user_account set email_address = 'x@demo.test'`,
        'update user_account set admin_role_id = 1',
        `update admin_session set id_hash = sha256('x')`,
        'update admin_session set last_active_at = now()',
        `update tfa_challenge set code_hash = sha256('x')`,
        `insert into user_account (email_address, user_type) values ('x@demo.test', 'admin')`,
        'delete from user_account',
      ],
      'move money': [
        `insert into ledger_transaction (case_id, kind) values (1, 'deposit')`,
        `insert into ledger_posting (transaction_id, case_id, account, amount_cents) values (1, 1, 'cash', 1)`,
        `update disbursement_request set status = 'approved'`,
        'update disbursement_request set amount_cents = 1, payee_id = 1',
        'update banking_batch_entry set amount_cents = 1',
      ],
      'write messages and the cases’ people': [
        `update message set message = 'x'`,
        'insert into case_participant (case_id, user_id, position) values (1, 1, 0)',
        'insert into case_admin (case_id, user_id) values (1, 1)',
      ],
      'read the audit log': ['select * from audit_entry'],
    },
    api: {
      'write roles and permissions': [
        `insert into admin_role (name) values ('x')`,
        `update admin_role set name = 'x'`,
        'delete from admin_role',
        `insert into admin_role_permission (admin_role_id, permission) values (1, 'manage_roles')`,
        'delete from admin_role_permission',
        `insert into admin_permission (value, category, name) values ('x', 'x', 'x')`,
        'insert into role_grant (user_id) values (1)',
        'update user_account set admin_role_id = 1',
        `update user_account set user_type = 'admin'`,
        'update user_account set agency_id = 1',
      ],
      'make people, sessions of staff and keys': [
        `insert into user_account (email_address, user_type) values ('x@demo.test', 'admin')`,
        'delete from user_account',
        `insert into admin_session (id_hash, user_id, user_type, csrf_token, confirmed_at)
           values (sha256('x'), 1, 'admin', 'x', now())`,
        'update admin_session set confirmed_at = now()',
        `insert into agency_api_key (agency_id, key_hash) values (1, sha256('x'))`,
        `update agency_api_key set key_hash = sha256('x')`,
        'update agency_api_key set revoked_at = null',
      ],
      'decide who belongs to a case, and what it is': [
        'insert into case_participant (case_id, user_id, position) values (1, 1, 0)',
        'insert into case_admin (case_id, user_id) values (1, 1)',
        `update case_file set name = 'x'`,
        'update case_file set approver_id = 1',
        'insert into scheduled_payment (case_id) values (1)',
        'update scheduled_payment set amount_cents = 1',
      ],
      'take money in, or hand it out': [
        'insert into cash_entry (case_id) values (1)',
        'update cash_entry set amount_cents = 1',
        'select * from bank_profile',
        `update bank_profile set routing_number = 'x'`,
        `insert into banking_batch (status) values ('draft')`,
        'select file from banking_batch',
        `update banking_batch set file = 'x'`,
        'update banking_batch_entry set amount_cents = 1',
        `insert into batch_signature (batch_id, user_id, file_sha256) values (1, 1, sha256('x'))`,
        'select content from bank_return_file',
        `update payee_bank_account set account_number = 'x'`,
        'select correction from payee_bank_account',
      ],
    },
    admin: {
      'do what only the API does': [
        `insert into agency_event (agency_id, event_id, type) values (1, 'x', 'x')`,
        `insert into provider_report (source, report_id) values ('x', 'x')`,
        'insert into push_subscription (user_id) values (1)',
        'delete from push_subscription',
        'insert into notification_preference (user_id) values (1)',
        'insert into user_file (user_id) values (1)',
        `insert into ended_web_session (id_hash) values ('x')`,
        'select * from unsubscribe_key',
      ],
      'take anything out of the records': [
        'delete from user_account',
        'delete from case_file',
        'delete from disbursement_request',
        'delete from message',
        'delete from role_grant',
        'delete from banking_batch',
      ],
    },
  };
  /** From everybody. */
  const ALL = [
    `update audit_entry set action = 'x.y'`,
    `update ledger_transaction set kind = 'deposit'`,
    'update ledger_posting set amount_cents = 1',
    ...['audit_entry', 'ledger_transaction', 'ledger_posting'].flatMap((table) => [
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]),
    `update ledger_balance set amount_cents = 1`,
    `insert into schema_migration (name, checksum) values ('x', 'x')`,
    'update database_copy set only_one = true',
    'insert into graphile_worker.migrations (id) values (9999)',
    'alter table user_account disable trigger all',
    'drop trigger audit_entry_is_append_only on audit_entry',
    'create table public.own (id bigint)',
    'create table months.own (id bigint)',
    `select drop_months('audit_entry', now())`,
    ...['select from', 'insert into', 'delete from', 'truncate', 'drop table'].map(
      (verb) => `${verb} months.delivery_default${verb.startsWith('insert') ? ' default values' : ''}`,
    ),
    `update months.sign_in_default set locale = 'x'`,
    'create function public.own() returns void language sql as $$ select 1 $$',
    'set session_replication_role = replica',
    'set role postgres',
    'create role another superuser',
    `copy user_account to program 'cat'`,
    `select pg_read_file('/etc/passwd')`,
  ];

  for (const process of PROCESSES) {
    const pool = open(applicationUrl(name, process));
    const isRefused = (statement: string) => assert.rejects(pool.query(statement), { code: '42501' }, statement);
    for (const [what, statements] of Object.entries({
      ...KEPT[process],
      'change the schema, or what is kept for good': ALL,
    }))
      test(`[DATABASE-5] ${process} cannot ${what}`, async () => {
        for (const statement of statements) await isRefused(statement);
      });
  }
});
