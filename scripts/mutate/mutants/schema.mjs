import { schema, text, together } from './write.mjs';

const APPEND_ONLY = 'db/append-only.test.ts';
const LEDGER = ['modules/disbursements/ledger/ledger.test.ts', 'modules/disbursements/ledger/ledger-tables.test.ts'];
const BALANCE = 'modules/disbursements/ledger/ledger-balance.test.ts';

const PLANS = 'test/admin/plans.test.ts';
const ROLES = 'test/apart/roles.test.ts';

/** The role that the tests, as the applications, connect under. */
const ROLE = 'case_platform_app';
const TABLES = ['audit_entry', 'ledger_transaction', 'ledger_posting'];

/** Triggers and grants: what holds when the code does not. */
// biome-ignore format: a mutant a line
export const SCHEMA = [
  ...TABLES.map((table) => schema(`${table} may be changed by its owner`, `drop trigger ${table}_is_append_only on ${table}`, APPEND_ONLY)),
  ...TABLES.map((table) => schema(`${table} may be emptied by its owner`, `drop trigger ${table}_is_never_emptied on ${table}`, APPEND_ONLY)),
  ...TABLES.map((table) => schema(`the applications may change ${table}`, `grant update, delete on ${table} to ${ROLE}`, APPEND_ONLY)),
  ...['banking_batch_step', 'batch_signature'].map((table) => schema(`${table} may be changed`, `drop trigger ${table}_is_append_only on ${table}`, APPEND_ONLY)),
  schema('the applications write balances', `grant insert, update, delete on ledger_balance to ${ROLE}`, BALANCE, APPEND_ONLY),
  schema('balances are written by anybody', 'drop trigger ledger_balance_is_derived on ledger_balance', BALANCE, APPEND_ONLY),
  together('nothing keeps anybody from writing balances', schema('', `grant insert, update, delete on ledger_balance to ${ROLE}`, BALANCE, APPEND_ONLY), schema('', 'drop trigger ledger_balance_is_derived on ledger_balance', BALANCE, APPEND_ONLY)),
  schema('balances may be emptied', 'drop trigger ledger_balance_is_never_emptied on ledger_balance', APPEND_ONLY),
  schema('postings are not counted', 'drop trigger ledger_posting_is_counted on ledger_posting', LEDGER, BALANCE),
  schema('a transaction without postings is taken', 'drop trigger ledger_transaction_is_balanced on ledger_transaction', LEDGER),
  schema('postings that do not sum to nothing are taken', 'drop trigger ledger_posting_is_balanced on ledger_posting', LEDGER),
  schema('the applications write schema_migration', `grant insert, update, delete on schema_migration to ${ROLE}`, APPEND_ONLY),
  text('the catalogue of grants forgets the ledger', 'db/grant.ts', "'audit_entry', 'ledger_transaction', 'ledger_posting'", "'audit_entry'", APPEND_ONLY),
  text('the worker reads passwords', 'db/access.ts', "'password_hash', 'password_stands_alone', 'two_factor_secret', 'totp_last_step'],\n  },\n};", "'password_stands_alone'],\n  },\n};", ROLES),
  text('the API writes roles', 'db/access.ts', 'admin_role               r     racd   -', 'admin_role               racd  racd   -', ROLES),
  text('the staff application reads proofs of funds', 'db/access.ts', 'proof_of_funds           ra    -      rdl', 'proof_of_funds           ra    r      rdl', ROLES),
  text('a role of a process may everything', 'db/grant.ts', 'unlimited.includes(userOf(address))', 'true', ROLES),
  ...['message_chain_case_idx', 'message_search_idx', 'delivery_user_idx', 'audit_entry_case_idx', 'scheduled_payment_waiting_idx'].map((index) => schema(`nothing has ${index}`, `drop index ${index}`, PLANS)),
  schema('two roles differ in capitals alone', 'drop index admin_role_name_idx', 'modules/permissions/change-roles.test.ts'),
];
