import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/**
 * Rules that triggers, constraints, and grants enforce behind the code. Each test tries to break a rule twice: as the schema is,
 * and after a fault was planted in it. The second try must succeed: otherwise nothing shows what enforces the rule.
 */

after(() => owner.end());
const { url } = await createTestDatabase();
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();

interface PlantedFault {
  rule: string;
  /** Statements that try to break the rule. */
  attempt: string;
  /** The constraint or a part of the message that refuses the attempt; absent where `broken` decides instead. */
  refusal?: string;
  /** Statements that weaken the schema. */
  fault: string;
  /** A condition that is true after the attempt if the rule is broken; absent where the attempt must be refused. */
  broken?: string;
}

/** Accounts; a twin belongs to the same person. The maker changed the address of `GIVEN` a moment ago. */
const [MAKER, MAKER_TWIN, SENDER, SENDER_TWIN, REVISER, REVISER_TWIN] = [9001, 9002, 9003, 9004, 9005, 9006] as const;
const [PAYEE, ENTERER, EARLIER, CHECKER, GIVEN] = [9007, 9008, 9009, 9010, 9011] as const;
const PAST_ENTERERS = [EARLIER, ENTERER, CHECKER];

await owner.query(`
  insert into user_account (id, email_address, user_type) overriding system value values
    (${MAKER}, 'maker@faults.test', 'admin'), (${MAKER_TWIN}, 'maker@faults.test', 'cm'),
    (${SENDER}, 'sender@faults.test', 'admin'), (${SENDER_TWIN}, 'sender@faults.test', 'cm'),
    (${REVISER}, 'reviser@faults.test', 'admin'), (${REVISER_TWIN}, 'reviser@faults.test', 'cm'),
    (${PAYEE}, 'payee@faults.test', 'surrogate'), (${ENTERER}, 'enterer@faults.test', 'admin'),
    (${EARLIER}, 'earlier@faults.test', 'admin'), (${CHECKER}, 'checker@faults.test', 'admin'),
    (${GIVEN}, 'given@faults.test', 'admin');
  set session_replication_role = replica;
  insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
    values (${GIVEN}, 'old@faults.test', 'given@faults.test', sha256('x'), ${MAKER}, now(), now(), now());
  insert into payee_bank_account (id, user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                  created_by, created_at, usable_from, entered_by) overriding system value
    values (9001, ${PAYEE}, 'Pat', 'person', '021000021', 'x', '1234', 'checking', ${ENTERER}, now(), now(), '{${EARLIER}}');
  insert into scheduled_payment (id, case_id, category, due_date, amount_cents) overriding system value
    values (9001, 1, 'Travel', '2026-12-01', 100);
  insert into disbursement_request (id, case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                    submitted_at, revised_by, scheduled_payment_id) overriding system value
    values (9001, 1, 'submitted', 100, 'Travel', 'x', ${PAYEE}, ${MAKER}, ${SENDER}, now(), '{${REVISER}}', 9001);
  insert into banking_batch (id, created_by, entry_count, total_cents) overriding system value values (9001, ${MAKER}, 1, 100);
  insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents) values (9001, 9001, 9001, 100);
  insert into banking_batch_step (batch_id, status, user_id) values (9001, 'draft', ${MAKER});
  insert into batch_signature (batch_id, user_id, file_sha256) values (9001, ${CHECKER}, sha256('x'));
  insert into cash_entry (id, case_id, kind, amount_cents, recorded_by) overriding system value values (9001, 1, 'deposit', 1000, ${MAKER});
  insert into bank_return_file (id, file_sha256, filename, uploaded_by, content) overriding system value
    values (9001, sha256('x'), 'returns.txt', ${MAKER}, 'x');
  insert into role_grant (id, admin_role_id, user_id, asked_by) overriding system value
    select 9001, min(id), ${PAYEE}, ${MAKER} from admin_role;
  insert into audit_entry (layer, action) values ('system', 'test.row');
  insert into ledger_transaction (id, case_id, kind, cash_entry_id) overriding system value values (9001, 1, 'deposit', 9001);
  insert into ledger_posting values (9001, 1, 'cash', 1000), (9001, 1, 'funds', -1000);
  insert into ledger_balance values (1, 'cash', 1000, 1000), (1, 'funds', -1000, 0);
  set session_replication_role = origin;
  select setval('payee_bank_account_id_seq', 9001);
`);

const dropTrigger = (table: string, name: string) => `drop trigger ${table}_${name} on ${table}`;
const dropConstraint = (table: string, name: string) => `alter table ${table} drop constraint ${name} cascade`;

/** Replaces a part of a database function. */
const weaken = (name: string, part: string, replacement = '') => `do $do$
  declare body text := pg_get_functiondef('${name}'::regproc);
  begin
    assert position($part$${part}$part$ in body) > 0, '${name} does not contain it';
    execute replace(body, $part$${part}$part$, $new$${replacement}$new$);
  end $do$`;

/** Replaces a part of a trigger: its events, its condition, or its arguments. */
const changeTrigger = (table: string, name: string, part: string, replacement: string) => `do $do$
  declare definition text := (select pg_get_triggerdef(oid) from pg_trigger where tgname = '${table}_${name}');
  begin
    assert position($part$${part}$part$ in definition) > 0, '${table}_${name} does not contain it';
    drop trigger ${table}_${name} on ${table};
    execute replace(definition, $part$${part}$part$, $new$${replacement}$new$);
  end $do$`;
/** Statements that the schema may refuse, which shows in what they leave. */
const tried = (attempt: string) => `do $do$ begin ${attempt}; exception when check_violation then null; end $do$`;

const approveRequest = (person: number) => `update disbursement_request set approver_id = ${person} where id = 9001`;
const approveBatch = (person: number) => `update banking_batch set approved_by = ${person} where id = 9001`;
const sendBatch = (person: number) => `update banking_batch set handed_out_by = ${person} where id = 9001`;
const sign = (...people: number[]) =>
  people.map((person) => `insert into batch_signature values (9001, ${person}, sha256('x'))`).join(';');
const confirmCash = (person: number) =>
  `update cash_entry set status = 'confirmed', decided_by = ${person}, decided_at = now() where id = 9001`;
const madeByOthers = `update disbursement_request set submitted_by = ${CHECKER} where id = 9001`;
const applyReturns = (person: number) => `update bank_return_file
  set status = 'applied', content = null, decided_by = ${person}, decided_at = now() where id = 9001`;
const confirmGrant = (person: number) =>
  `update role_grant set status = 'confirmed', decided_by = ${person}, decided_at = now() where id = 9001`;
const post = (kind: string, ...postings: [account: string, cents: number][]) => `
  with entry as (insert into ledger_transaction (case_id, kind, disbursement_id)
                 values (1, '${kind}', ${kind === 'deposit' ? 'null' : 9001}) returning id)
  insert into ledger_posting select id, 1, p.* from entry, (values ${postings.map(([account, cents]) => `('${account}', ${cents})`)}) p`;
/** Another person enters the payee's account again, or corrects it. */
const enterAccount = (person: number, lastFour = '1234', routing = '021000021') => `
  update payee_bank_account set replaced_at = now() where user_id = ${PAYEE} and replaced_at is null;
  insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                  created_by, created_at, usable_from)
    values (${PAYEE}, 'Pat', 'person', '${routing}', 'x', '${lastFour}', 'checking', ${person}, now(), now())`;
const provePhone = (person: number, phone: string) => `update user_account set confirmed_phone = '${phone}' where id = ${person}`;
const invite = (address: string) => `insert into user_account (id, email_address, user_type, status) overriding system value
  values (9099, '${address}', 'owner', 'invited')`;

const TAKES_TWO: PlantedFault[] = [
  ...(
    [
      ['records a deposit', 'cash_entry', confirmCash, 'recorder_never_confirms'],
      ['reads in a return file', 'bank_return_file', applyReturns, 'reader_never_confirms'],
      ['grants a role', 'role_grant', confirmGrant, 'granter_never_confirms'],
      ['makes a batch', 'banking_batch', approveBatch, 'maker_never_approves'],
      ['makes a request', 'disbursement_request', approveRequest, 'maker_is_never_checker'],
    ] as const
  ).flatMap(([what, table, decide, refusal]) => [
    {
      rule: `a person who ${what} does not approve it with another account`,
      attempt: decide(MAKER_TWIN),
      refusal,
      fault: dropTrigger(table, 'takes_two'),
    },
    {
      rule: `a person who ${what} does not choose the address of the one who approves it`,
      attempt: decide(GIVEN),
      refusal: 'checker_is_their_own',
      fault: dropTrigger(table, 'takes_its_own_checker'),
    },
  ]),
  {
    rule: 'a request is not paid to the person who approved it',
    attempt: `${approveRequest(CHECKER)}; update disbursement_request set payee_id = ${CHECKER} where id = 9001`,
    refusal: 'maker_is_never_checker',
    fault: dropTrigger('disbursement_request', 'takes_two'),
  },
  ...(
    [
      ['disbursement_request', 'created_by', approveRequest, 'maker_is_never_checker'],
      ['disbursement_request', 'submitted_by', approveRequest, 'maker_is_never_checker'],
      ['banking_batch', 'created_by', approveBatch, 'maker_never_approves'],
    ] as const
  ).map(([table, column, decide, refusal]) => ({
    rule: `${column} of ${table} does not become a person whose other account approved it`,
    attempt: `${madeByOthers}; ${decide(SENDER_TWIN)};
              update ${table} set ${column} = ${SENDER} where id = 9001`,
    refusal,
    fault: dropTrigger(table, 'takes_two'),
  })),
  {
    rule: 'a person who makes a batch does not choose the address of the one who sends it',
    attempt: sendBatch(GIVEN),
    refusal: 'checker_is_their_own',
    fault: dropTrigger('banking_batch', 'takes_its_own_payer'),
  },
  {
    rule: 'a person does not choose the address of the one who signs a batch',
    attempt: sign(GIVEN),
    refusal: 'checker_is_their_own',
    fault: dropTrigger('batch_signature', 'takes_its_own_signer'),
  },
  {
    rule: 'two signatures are of two persons',
    attempt: sign(MAKER, MAKER_TWIN),
    refusal: 'signers_are_two',
    fault: dropTrigger('batch_signature', 'takes_two'),
  },
  {
    rule: 'two signatures are of two accounts',
    attempt: sign(CHECKER),
    refusal: 'batch_signature_pkey',
    fault: dropConstraint('batch_signature', 'batch_signature_pkey'),
  },
  ...(
    [
      ['approve', approveBatch, 'banking_batch', 'maker_never_approves', MAKER],
      ['send', sendBatch, 'banking_batch', 'maker_never_pays', MAKER],
      ['approve', approveRequest, 'disbursement_request', 'maker_is_never_checker', MAKER],
      ['approve', approveRequest, 'disbursement_request', 'reviser_is_never_checker', REVISER],
    ] as const
  ).map(([what, decide, table, refusal, person]) => ({
    rule: `the account that made or changed a row of ${table} does not ${what} it: ${refusal}`,
    attempt: decide(person),
    refusal,
    fault: `${dropConstraint(table, refusal)}; ${dropTrigger(table, 'takes_two')}`,
  })),
  {
    rule: 'a deposit counts only when two persons agreed on it',
    attempt: post('deposit', ['cash', 100], ['funds', -100]),
    refusal: 'cash_takes_two',
    fault: dropTrigger('ledger_transaction', 'takes_two'),
  },
  {
    rule: 'a deposit counts once',
    attempt: `insert into ledger_transaction (case_id, kind, cash_entry_id) values (1, 'deposit', 9001)`,
    refusal: 'ledger_transaction_cash_entry_id_key',
    fault: `${dropConstraint('ledger_transaction', 'ledger_transaction_cash_entry_id_key')};
            ${dropTrigger('ledger_transaction', 'is_balanced')}; ${dropTrigger('ledger_transaction', 'takes_two')}`,
  },
  {
    rule: 'a payment comes back only by a return file that was confirmed',
    attempt: `insert into bank_return_entry values (9001, 1, 'R01', '021000020000001', 100, null, 'not_ours')`,
    refusal: 'return_takes_two',
    fault: dropTrigger('bank_return_entry', 'takes_two'),
  },
];

const REQUEST_PARTS = [
  ['made', MAKER_TWIN, 'd.created_by, '],
  ['sent', SENDER_TWIN, 'd.submitted_by, '],
  ['changed', REVISER_TWIN, '|| d.revised_by'],
  ['is paid by', PAYEE, ', d.payee_id'],
  ['entered the account of', ENTERER, 'array[a.created_by] || '],
  ['entered the same account before for', EARLIER, '|| a.entered_by'],
] as const;
const BATCH_PARTS = [
  ['is paid by', PAYEE, 'a.user_id, '],
  ['entered an account of', ENTERER, ', a.created_by'],
  ['entered the same account before for', EARLIER, '|| a.entered_by'],
] as const;

const ONE_PERSON: PlantedFault[] = [
  ...REQUEST_PARTS.map(([part, person, words]) => ({
    rule: `a person who ${part} a request does not decide about it`,
    attempt: approveRequest(person),
    refusal: 'maker_is_never_checker',
    fault: weaken('disbursement_insiders', words),
  })),
  ...BATCH_PARTS.map(([part, person, words]) => ({
    rule: `a person who ${part} a batch does not approve it`,
    attempt: approveBatch(person),
    refusal: 'maker_never_approves',
    fault: weaken('batch_insiders', words),
  })),
  {
    rule: 'a person who entered an account still counts after somebody else entered it again',
    attempt: `${enterAccount(CHECKER)}; ${approveRequest(ENTERER)}`,
    refusal: 'maker_is_never_checker',
    fault: dropTrigger('payee_bank_account', 'keeps_entered_by'),
  },
  ...PAST_ENTERERS.map((person, at) => ({
    rule: `a person who entered an account still counts after others entered it again, and again (entry ${at + 1})`,
    attempt: `${enterAccount(CHECKER)}; ${enterAccount(REVISER)}; ${approveRequest(person)}`,
    refusal: 'maker_is_never_checker',
    fault:
      person === CHECKER ? weaken('keep_entered_by', 'array[a.created_by] || ') : weaken('keep_entered_by', '|| a.entered_by'),
  })),
  {
    rule: 'a person who entered an account still counts after the bank corrected it',
    attempt: `update payee_bank_account set flag_code = 'C01', flagged_at = now(); ${enterAccount(CHECKER, '9999')};
              ${approveRequest(ENTERER)}`,
    refusal: 'maker_is_never_checker',
    fault: weaken('keep_entered_by', "a.flag_code like 'C%' or "),
  },
  {
    rule: 'a person who entered the account still counts after someone else entered the same one, whatever came before',
    attempt: `${enterAccount(REVISER, '9999')}; ${enterAccount(CHECKER, '9999')};
              update disbursement_request set revised_by = '{}' where id = 9001; ${approveRequest(REVISER)}`,
    refusal: 'maker_is_never_checker',
    fault: weaken('keep_entered_by', 'order by a.id desc', 'order by a.id'),
  },
  {
    rule: 'after a person entered their own account, earlier ones no longer count',
    attempt: enterAccount(PAYEE),
    broken: `select from payee_bank_account where created_by = ${PAYEE} and entered_by <> '{}'`,
    fault: weaken('keep_entered_by', 'if new.created_by <> new.user_id then', 'if true then'),
  },
  ...[
    dropTrigger('user_account', 'is_a_new_person'),
    weaken('keep_one_person', 'u.email_address = new.email_address', 'false'),
  ].map((fault, at) => ({
    rule: `two accounts with one address are of one person (${at + 1})`,
    attempt: `${invite('maker@faults.test')}; ${confirmCash(9099)}`,
    refusal: 'recorder_never_confirms',
    fault,
  })),
  ...[
    dropTrigger('user_account', 'keeps_confirmed_phone'),
    dropTrigger('user_account', 'stays_one_person'),
    weaken('keep_confirmed_phone', 'new.proved_phones || new.confirmed_phone', 'array[new.confirmed_phone]'),
    weaken('keep_one_person', 'u.proved_phones && new.proved_phones', 'false'),
  ].map((fault, at) => ({
    rule: `two accounts that proved one phone are of one person, also after one of them proved another (${at + 1})`,
    attempt: `${provePhone(MAKER, '+12025550101')}; ${provePhone(MAKER, '+12025550102')}; ${provePhone(CHECKER, '+12025550101')};
              ${confirmCash(CHECKER)}`,
    refusal: 'recorder_never_confirms',
    fault,
  })),
  {
    rule: 'an account that changes its address stays with its person',
    attempt: `update user_account set email_address = 'other@faults.test' where id = ${MAKER_TWIN}; ${confirmCash(MAKER_TWIN)}`,
    refusal: 'recorder_never_confirms',
    fault: weaken('keep_one_person', "old.status = 'invited'", 'true'),
  },
  {
    rule: 'an invitation to a mistaken address makes no two people one',
    attempt: `${invite('maker@faults.test')}; update user_account set email_address = 'other@faults.test' where id = 9099`,
    broken: `select from user_account where id = 9099 and person_id = (select person_id from user_account where id = ${MAKER})`,
    fault: weaken('keep_one_person', "old.status = 'invited'", 'false'),
  },
];

const movedAddress = (by: number, requested: number, confirmed: number) => `
  update address_change set requested_by = ${by}, requested_at = now() - interval '${requested} days',
                            confirmed_at = now() - interval '${confirmed} days'`;
const TWO_FACTOR = `update user_account set two_factor_method = 'email', two_factor_since = '2020-01-01' where id = ${MAKER}`;

/** Single conditions of the functions behind the triggers. */
const CONDITIONS: PlantedFault[] = [
  {
    rule: 'a person does not confirm their own role',
    attempt: confirmGrant(PAYEE),
    refusal: 'granter_never_confirms',
    fault: weaken('refuse_own_role_grant', ', new.user_id'),
  },
  {
    rule: 'a person who is paid by a batch does not sign it',
    attempt: sign(PAYEE),
    refusal: 'signers_are_two',
    fault: weaken('refuse_own_signature', 'batch_insiders(new.batch_id)', `'{}'::bigint[]`),
  },
  {
    rule: 'a person who makes a batch does not send it with another account',
    attempt: sendBatch(MAKER_TWIN),
    refusal: 'maker_never_approves',
    fault: weaken('refuse_own_batch', ' or is_person_among(new.handed_out_by, insiders)'),
  },
  {
    rule: 'a person does not choose the address of one who signs after them',
    attempt: `${movedAddress(SENDER, 9, 8)}; ${sign(SENDER, GIVEN)}`,
    refusal: 'checker_is_their_own',
    fault: weaken('refuse_others_signature', 's.user_id <> new.user_id', 'false'),
  },
  ...(
    [
      ['anyone', ENTERER, 9, 6, '7 days'],
      ['a maker', MAKER, 29, 8, '30 days'],
    ] as const
  ).map(([who, by, requested, confirmed, window]) => ({
    rule: `an address that ${who} changed counts for ${window}`,
    attempt: `${movedAddress(by, requested, confirmed)}; ${confirmCash(GIVEN)}`,
    refusal: 'checker_is_their_own',
    fault: weaken('is_others_checker', `'${window}'`, `'1 day'`),
  })),
  {
    rule: 'a person who is paid by a request does not choose the address of the one who approves it',
    attempt: `${movedAddress(PAYEE, 29, 8)}; ${approveRequest(GIVEN)}`,
    refusal: 'checker_is_their_own',
    fault: weaken('refuse_others_checker', 'disbursement_insiders(new)', 'array[new.created_by]'),
  },
  {
    rule: 'more money is not released than is set aside',
    attempt: post('release', ['held', 1], ['funds', -1]),
    refusal: 'would be overdrawn',
    fault: weaken('check_ledger_balance', 'amount_cents > 0', 'false'),
  },
  {
    rule: 'a payment is not counted as money that was paid in',
    attempt: `${post('hold', ['funds', 100], ['held', -100])}; ${post('payment', ['cash', -100], ['held', 100])}`,
    broken: `select from ledger_balance where case_id = 1 and account = 'cash' and paid_in_cents <> 1000`,
    fault: weaken('keep_ledger_balance', ` and t.kind in ('deposit', 'refund')`),
  },
  {
    rule: 'someone without two-factor sign-in has no time of it',
    attempt: `${TWO_FACTOR}; update user_account set two_factor_method = null where id = ${MAKER}`,
    broken: `select from user_account where id = ${MAKER} and two_factor_since is not null`,
    fault: weaken('keep_two_factor_since', 'new.two_factor_since := null', 'null'),
  },
  {
    rule: 'another two-factor method has a time of its own',
    attempt: `${TWO_FACTOR}; update user_account set two_factor_method = 'app', two_factor_secret = 'x' where id = ${MAKER}`,
    broken: `select from user_account where id = ${MAKER} and two_factor_since = '2020-01-01'`,
    fault: weaken('keep_two_factor_since', 'new.two_factor_since := now()', 'null'),
  },
];

const [NEW_ENTRY, SHARED_PHONE] = [9002, '+12025550103'] as const;
const recordCash = (status: 'waiting' | 'confirmed', decidedBy: number, caseId = 1) => `
  insert into cash_entry (id, case_id, kind, amount_cents, recorded_by, status, decided_by, decided_at) overriding system value
    select ${NEW_ENTRY}, ${caseId}, 'deposit', 100, ${MAKER}, s, case when s <> 'waiting' then ${decidedBy} end,
           case when s <> 'waiting' then now() end from (values ('${status}')) v (s)`;
const postCash = (kind: 'deposit' | 'refund', cents: number, entry: number | null = NEW_ENTRY) => `
  with entry as (insert into ledger_transaction (case_id, kind, cash_entry_id) values (1, '${kind}', ${entry}) returning id)
  insert into ledger_posting select id, 1, p.* from entry, (values ('cash', ${cents}), ('funds', ${-cents})) p`;
const DECIDED_ONCE = [
  ['cash_entry', 'keep_cash_entry', confirmCash, 'is decided once and never changed'],
  ['bank_return_file', 'keep_bank_return_file', applyReturns, 'a return file is decided once'],
  ['role_grant', 'keep_role_grant', confirmGrant, 'a grant is decided once'],
] as const;

/** Events and conditions of triggers, and conditions of their functions, each of which is left out once. */
const PARTS: PlantedFault[] = [
  {
    rule: 'of two sign-ins, the one that is recorded last but began first does not become the last one',
    attempt: `insert into sign_in (id, user_id, layer, signed_in_at) overriding system value
                values (90002, ${PAYEE}, 'api', now()), (90001, ${PAYEE}, 'api', now())`,
    broken: `select from last_sign_in where user_id = ${PAYEE} and sign_in_id <> 90002`,
    fault: weaken('note_last_sign_in', ' where excluded.sign_in_id > last.sign_in_id'),
  },
  ...DECIDED_ONCE.map(([table, keep, decide, refusal]) => ({
    rule: `a row of ${table} that was decided is not decided again`,
    attempt: `${decide(CHECKER)}; ${decide(SENDER)}`,
    refusal,
    fault: weaken(keep, "old.status <> 'waiting'", 'false'),
  })),
  ...(
    [
      ['cash_entry', 'case_id', '2'],
      ['cash_entry', 'kind', `'refund'`],
      ['cash_entry', 'memo', `'other'`],
      ['cash_entry', 'recorded_by', SENDER],
      ['cash_entry', 'recorded_at', `'2020-01-01'`],
      ['bank_return_file', 'file_sha256', `sha256('y')`],
      ['bank_return_file', 'uploaded_by', SENDER],
      ['bank_return_file', 'uploaded_at', `'2020-01-01'`],
      ['role_grant', 'admin_role_id', '(select max(id) from admin_role)'],
      ['role_grant', 'user_id', SENDER],
      ['role_grant', 'asked_by', SENDER],
    ] as const
  ).map(([table, column, value]) => ({
    rule: `${column} of a row of ${table} that waits for a second person is not changed`,
    attempt: `update ${table} set ${column} = ${value} where id = 9001`,
    refusal: 'decided once',
    fault: weaken(`keep_${table}`, `old.${column}`, `new.${column}`),
  })),
  {
    rule: 'permissions of a row of role_grant that waits for a second person are not changed',
    attempt: `insert into role_grant (id, admin_role_id, permissions, asked_by) overriding system value
                select 9002, min(id), '{make_payments}', ${MAKER} from admin_role;
              update role_grant set permissions = '{approve_drs}' where id = 9002`,
    refusal: 'decided once',
    fault: weaken('keep_role_grant', 'old.permissions', 'new.permissions'),
  },
  {
    rule: 'the content of a return file that waits for a second person is not changed',
    attempt: `update bank_return_file set content = 'y' where id = 9001`,
    refusal: 'decided once',
    fault: weaken('keep_bank_return_file', 'or new.content is distinct from old.content and new.content is not null'),
  },
  {
    rule: 'the words of a decided cash entry are changed only when a person is erased',
    attempt: `${confirmCash(CHECKER)}; update cash_entry set memo = 'other' where id = 9001`,
    refusal: 'decided once',
    fault: weaken('keep_cash_entry', " and current_setting('platform.erasing', true) = 'yes'"),
  },
  {
    rule: 'erasing a person changes nothing but the words of a cash entry',
    attempt: `set local platform.erasing = 'yes'; update cash_entry set amount_cents = 2 where id = 9001`,
    refusal: 'decided once',
    fault: weaken(
      'keep_cash_entry',
      "and to_jsonb(new) - '{memo,decision_reason}'::text[] = to_jsonb(old) - '{memo,decision_reason}'::text[]",
    ),
  },
  ...[
    weaken('refuse_change', 'to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv', 'true'),
    changeTrigger('audit_entry', 'is_append_only', 'refuse_change(', "refuse_change('action', "),
  ].map((fault, at) => ({
    rule: `erasing a person changes nothing but their data in the audit log (${at + 1})`,
    attempt: `set local platform.erasing = 'yes'; update audit_entry set action = 'test.other'`,
    refusal: 'audit_entry is append-only',
    fault,
  })),
  ...(
    [
      [
        'cash_entry',
        'is_kept',
        `${recordCash('waiting', CHECKER)}; delete from cash_entry where id = ${NEW_ENTRY}`,
        'decided once',
      ],
      ['bank_return_file', 'is_kept', 'delete from bank_return_file', 'decided once'],
      ['audit_entry', 'is_append_only', 'delete from audit_entry', 'append-only'],
      ['banking_batch_step', 'is_append_only', 'delete from banking_batch_step', 'append-only'],
      ['batch_signature', 'is_append_only', 'delete from batch_signature', 'append-only'],
      ['ledger_posting', 'is_append_only', 'delete from ledger_posting', 'append-only'],
    ] as const
  ).map(([table, name, attempt, refusal]) => ({
    rule: `rows of ${table} are not deleted`,
    attempt,
    refusal,
    fault: changeTrigger(table, name, 'DELETE OR UPDATE', 'UPDATE'),
  })),
  ...(
    [
      ['DELETE', 'delete from ledger_balance', 'INSERT OR DELETE OR UPDATE', 'INSERT OR UPDATE'],
      ['INSERT', `insert into ledger_balance values (2, 'held', -1, 0)`, 'INSERT OR DELETE OR UPDATE', 'DELETE OR UPDATE'],
    ] as const
  ).map(([what, attempt, part, replacement]) => ({
    rule: `a balance is written only by postings: ${what}`,
    attempt,
    refusal: 'only postings may write a balance',
    fault: changeTrigger('ledger_balance', 'is_derived', part, replacement),
  })),
  ...(
    [
      ['cash_entry', recordCash('confirmed', MAKER_TWIN), 'recorder_never_confirms'],
      [
        'bank_return_file',
        `insert into bank_return_file (file_sha256, filename, uploaded_by, status, decided_by, decided_at)
           values (sha256('y'), 'y', ${MAKER}, 'applied', ${MAKER_TWIN}, now())`,
        'reader_never_confirms',
      ],
      [
        'role_grant',
        `insert into role_grant (admin_role_id, user_id, asked_by, status, decided_by, decided_at)
           select min(id), ${PAYEE}, ${MAKER}, 'confirmed', ${MAKER_TWIN}, now() from admin_role`,
        'granter_never_confirms',
      ],
      [
        'banking_batch',
        `insert into banking_batch (created_by, entry_count, total_cents, approved_by) values (${MAKER}, 1, 100, ${MAKER_TWIN})`,
        'maker_never_approves',
      ],
    ] as const
  ).map(([table, attempt, refusal]) => ({
    rule: `a row of ${table} is not added as approved by the person who made it`,
    attempt,
    refusal,
    fault: changeTrigger(table, 'takes_two', 'INSERT OR UPDATE', 'UPDATE'),
  })),
  ...(
    [
      [MAKER_TWIN, 'takes_two', 'maker_is_never_checker'],
      [GIVEN, 'takes_its_own_checker', 'checker_is_their_own'],
    ] as const
  ).map(([person, name, refusal]) => ({
    rule: `a request is not added as approved by the wrong person (${name})`,
    attempt: `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
                                                submitted_by, submitted_at, approver_id, decided_at)
                values (1, 'approved', 100, 'Travel', 'x', ${PAYEE}, ${MAKER}, ${MAKER}, now(), ${person}, now())`,
    refusal,
    fault: changeTrigger('disbursement_request', name, 'INSERT OR UPDATE', 'UPDATE'),
  })),
  {
    rule: 'two accounts are of one person if one was added with the phone that the other proved',
    attempt: `insert into user_account (id, email_address, user_type, confirmed_phone) overriding system value
                values (9099, 'ninth@faults.test', 'owner', '${SHARED_PHONE}');
              ${provePhone(MAKER, SHARED_PHONE)}; ${confirmCash(9099)}`,
    refusal: 'recorder_never_confirms',
    fault: changeTrigger('user_account', 'keeps_confirmed_phone', 'INSERT OR UPDATE', 'UPDATE'),
  },
  ...(
    [
      ['takes_its_own_checker', 'approve', approveBatch],
      ['takes_its_own_payer', 'send', sendBatch],
    ] as const
  ).flatMap(([name, what, decide]) => [
    {
      rule: `a person who made a batch does not choose the address of the one who may ${what} it, for 30 days`,
      attempt: `${movedAddress(MAKER, 29, 8)}; ${decide(GIVEN)}`,
      refusal: 'checker_is_their_own',
      fault: changeTrigger('banking_batch', name, 'new.created_by || batch_insiders(new.id)', 'batch_insiders(new.id)'),
    },
    {
      rule: `a person who is paid by a batch does not choose the address of the one who may ${what} it`,
      attempt: `${movedAddress(PAYEE, 29, 8)}; ${decide(GIVEN)}`,
      refusal: 'checker_is_their_own',
      fault: changeTrigger('banking_batch', name, '(new.created_by || batch_insiders(new.id))', 'ARRAY[new.created_by]'),
    },
  ]),
  ...(
    [
      [MAKER, 'new.user_id'],
      [PAYEE, 'new.asked_by'],
    ] as const
  ).map(([by, rest]) => ({
    rule: `of a role, neither who grants nor who gets it chooses the address of the one who confirms it (${rest})`,
    attempt: `${movedAddress(by, 29, 8)}; ${confirmGrant(GIVEN)}`,
    refusal: 'checker_is_their_own',
    fault: changeTrigger('role_grant', 'takes_its_own_checker', 'ARRAY[new.asked_by, new.user_id]', `ARRAY[${rest}]`),
  })),
  {
    rule: 'a person who is paid by a batch does not choose the address of one who signs it',
    attempt: `${movedAddress(PAYEE, 29, 8)}; ${sign(GIVEN)}`,
    refusal: 'checker_is_their_own',
    fault: weaken('refuse_others_signature', 'batch_insiders(new.batch_id)', `'{}'::bigint[]`),
  },
  ...(
    [
      ['they changed it themselves', movedAddress(GIVEN, 9, 6), '(c.requested_by <> is_others_checker.record) AND '],
      [
        'a maker only asked to change it',
        `${movedAddress(MAKER, 9, 8)}; update address_change set confirmed_at = null`,
        '(c.confirmed_at IS NOT NULL) AND ',
      ],
      [
        'someone without a part in it changed it more than a week ago',
        movedAddress(ENTERER, 9, 8),
        ' AND is_person_among(c.requested_by, is_others_checker.makers)',
      ],
    ] as const
  ).map(([what, moved, part]) => ({
    rule: `a person whose address was changed decides if ${what}`,
    attempt: `${moved}; ${tried(confirmCash(GIVEN))}`,
    broken: `select from cash_entry where id = 9001 and status = 'waiting'`,
    fault: weaken('is_others_checker', part),
  })),
  {
    rule: 'a person whose account left a batch may approve it',
    attempt: `update banking_batch_entry set released_at = now() where batch_id = 9001; ${tried(approveBatch(PAYEE))}`,
    broken: 'select from banking_batch where id = 9001 and approved_by is null',
    fault: weaken('batch_insiders', ' AND (e.released_at IS NULL)'),
  },
  ...[
    weaken('keep_confirmed_phone', "new.two_factor_method = 'sms'", 'false'),
    weaken('keep_confirmed_phone', 'new.confirmed_phone := new.phone', 'null'),
  ].map((fault, at) => ({
    rule: `two accounts are of one person if one gets codes at the phone that the other proved (${at + 1})`,
    attempt: `update user_account set two_factor_method = 'sms', phone = '${SHARED_PHONE}' where id = ${MAKER};
              ${provePhone(CHECKER, SHARED_PHONE)}; ${confirmCash(CHECKER)}`,
    refusal: 'recorder_never_confirms',
    fault,
  })),
  {
    rule: 'a new account that brings together two persons makes all three one',
    attempt: `${provePhone(CHECKER, SHARED_PHONE)};
              insert into user_account (id, email_address, user_type, confirmed_phone) overriding system value
                values (9099, 'maker@faults.test', 'owner', '${SHARED_PHONE}'); ${confirmCash(9099)}`,
    refusal: 'recorder_never_confirms',
    fault: weaken('keep_one_person', 'person_id = any (persons[2:])', 'person_id = persons[2]'),
  },
  {
    rule: 'a person who entered an account still counts after accounts of other people were entered',
    attempt: `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
                                              account_kind, created_by, created_at, usable_from)
                values (${SENDER}, 'Sue', 'person', '021000021', 'x', '9999', 'checking', ${REVISER}, now(), now());
              ${enterAccount(CHECKER)}; ${approveRequest(ENTERER)}`,
    refusal: 'maker_is_never_checker',
    fault: weaken('keep_entered_by', 'a.user_id = new.user_id', 'true'),
  },
  {
    rule: 'a person who entered an account no longer counts after one of another bank was entered that ends in the same digits',
    attempt: enterAccount(CHECKER, '1234', '121000248'),
    broken: `select from payee_bank_account where created_by = ${CHECKER} and entered_by <> '{}'`,
    fault: weaken(
      'keep_entered_by',
      '(a.routing_number, a.last_four) = (new.routing_number, new.last_four)',
      'a.last_four = new.last_four',
    ),
  },
  ...(
    [
      ['the person who enters it again', enterAccount(ENTERER), ENTERER, '(new.user_id)'],
      ['its owner', `${enterAccount(PAYEE)}; ${enterAccount(CHECKER)}`, PAYEE, '(new.created_by)'],
    ] as const
  ).map(([who, attempt, person, rest]) => ({
    rule: `${who} is not among the others who entered an account before`,
    attempt,
    broken: `select from payee_bank_account where ${person} = any (entered_by)`,
    fault: weaken('keep_entered_by', '(new.user_id, new.created_by)', rest),
  })),
  ...(
    [
      [
        'another account was entered',
        '',
        ["(a.flag_code like 'C%' or (a.routing_number, a.last_four) = (new.routing_number, new.last_four))", 'true'],
      ],
      [
        'another account of the same bank was entered',
        '',
        ['(a.routing_number, a.last_four) = (new.routing_number, new.last_four)', 'a.routing_number = new.routing_number'],
      ],
      [
        'another account replaced one that was closed',
        `update payee_bank_account set flag_code = 'R02', flagged_at = now(); `,
        ["like 'C%'", "like '%'"],
      ],
    ] as const
  ).map(([what, before, [part, replacement]]) => ({
    rule: `a person who entered an account no longer counts after ${what}`,
    attempt: `${before}${enterAccount(CHECKER, '9999')}`,
    broken: `select from payee_bank_account where last_four = '9999' and entered_by <> '{}'`,
    fault: weaken('keep_entered_by', part, replacement),
  })),
  {
    rule: 'only the previous account of a person says who entered the number before',
    attempt: `${enterAccount(REVISER, '9999')}; ${enterAccount(CHECKER)}`,
    broken: `select from payee_bank_account where created_by = ${CHECKER} and entered_by <> '{}'`,
    fault: weaken('keep_entered_by', ' limit 1'),
  },
  {
    rule: 'a two-factor method that is set again keeps its time',
    attempt: `${TWO_FACTOR}; update user_account set two_factor_method = 'email' where id = ${MAKER}`,
    broken: `select from user_account where id = ${MAKER} and two_factor_since <> '2020-01-01'`,
    fault: weaken('keep_two_factor_since', 'new.two_factor_method is distinct from old.two_factor_method', 'true'),
  },
  {
    rule: 'the calendar of a cancelled case is closed',
    attempt: `update case_file set status = 'cancelled' where id = 1`,
    broken: 'select from scheduled_payment where case_id = 1 and not case_ended',
    fault: weaken('mark_calendar', `('closed', 'cancelled')`, `('closed')`),
  },
  {
    rule: 'the calendars of other cases stay open when one is closed',
    attempt: `insert into scheduled_payment (case_id, category, due_date, amount_cents) values (2, 'Travel', '2026-12-01', 100);
              update case_file set status = 'closed' where id = 1`,
    broken: 'select from scheduled_payment where case_id = 2 and case_ended',
    fault: weaken('mark_calendar', 'case_id = new.id and '),
  },
  ...(
    [
      ['was confirmed', `${recordCash('waiting', CHECKER)}; ${postCash('deposit', 100)}`, " and e.status = 'confirmed'"],
      ['is named', `${recordCash('confirmed', CHECKER)}; ${postCash('deposit', 100, null)}`, 'e.id = new.cash_entry_id and '],
      [
        'is of the same case',
        `${recordCash('confirmed', CHECKER, 2)}; ${postCash('deposit', 100)}`,
        'e.case_id = new.case_id and ',
      ],
      ['is of the same kind', `${recordCash('confirmed', CHECKER)}; ${postCash('refund', -100)}`, 'e.kind = new.kind and '],
      [
        'has the same amount',
        `${recordCash('confirmed', CHECKER)}; ${postCash('deposit', 101)}`,
        ' and not exists (select from ledger_posting p where p.transaction_id = new.id ' +
          'and abs(p.amount_cents) <> e.amount_cents)',
      ],
    ] as const
  ).map(([what, attempt, part]) => ({
    rule: `money is booked only for an entry that ${what}`,
    attempt,
    refusal: 'cash_takes_two',
    fault: weaken('check_cash_entry', part),
  })),
  {
    rule: 'a refund counts only when two persons agreed on it',
    attempt: postCash('refund', -100, null),
    refusal: 'cash_takes_two',
    fault: changeTrigger('ledger_transaction', 'takes_two', `'deposit'::text, 'refund'::text`, `'deposit'::text`),
  },
];

const OTHER_BATCH = `insert into banking_batch (id, created_by, entry_count, total_cents) overriding system value
  values (9002, ${MAKER}, 1, 100)`;
const signOther = (person: number) => `insert into batch_signature values (9002, ${person}, sha256('x'))`;
const signEarlierFile = (person: number) => `insert into batch_signature values (9001, ${person}, sha256('y'))`;

/** Changes that the schema accepts, although it refuses similar ones. Each fault makes it refuse them too. */
const ACCEPTED: PlantedFault[] = [
  ...(
    [
      ['cash_entry', 'confirmed', `, decision_reason = 'x'`],
      ['bank_return_file', 'applied', `, decision_reason = 'x', content = null`],
      ['role_grant', 'confirmed', ''],
    ] as const
  ).map(([table, status, more]) => ({
    rule: `a person whose address was changed may refuse a row of ${table}`,
    attempt: tried(`update ${table} set status = 'refused', decided_by = ${GIVEN}, decided_at = now() ${more} where id = 9001`),
    broken: `select from ${table} where id = 9001 and status = 'waiting'`,
    fault: changeTrigger(table, 'takes_its_own_checker', `(new.status = '${status}'::text) AND `, ''),
  })),
  ...(
    [
      ['cash_entry', 'confirmed'],
      ['role_grant', 'confirmed'],
    ] as const
  ).map(([table, status]) => ({
    rule: `a person withdraws their own row of ${table}`,
    attempt: tried(`update ${table} set status = 'refused', decided_by = ${MAKER}, decided_at = now()
      ${table === 'role_grant' ? '' : `, decision_reason = 'x'`} where id = 9001`),
    broken: `select from ${table} where id = 9001 and status = 'waiting'`,
    fault: changeTrigger(table, 'takes_two', ` WHEN ((new.status = '${status}'::text))`, ''),
  })),
  ...(
    [
      ['takes_its_own_checker', 'approved_by', approveBatch],
      ['takes_its_own_payer', 'handed_out_by', sendBatch],
    ] as const
  ).map(([name, column, decide]) => ({
    rule: `${column} of a batch stays after the address of that person was changed`,
    attempt: `${movedAddress(MAKER, 40, 40)}; ${decide(GIVEN)}; ${movedAddress(MAKER, 1, 1)};
              ${tried(`update banking_batch set ${column} = ${column}, entry_count = 2 where id = 9001`)}`,
    broken: 'select from banking_batch where id = 9001 and entry_count <> 2',
    fault: changeTrigger('banking_batch', name, `(new.${column} IS DISTINCT FROM old.${column}) AND `, ''),
  })),
  ...(
    [
      ['refuse_own_signature', SENDER_TWIN, ''],
      ['refuse_others_signature', GIVEN, `${movedAddress(SENDER, 9, 8)}; `],
    ] as const
  ).flatMap(([name, person, before]) =>
    (
      [
        ['another batch', `${OTHER_BATCH}; ${signOther(SENDER)}`, 's.batch_id = new.batch_id and '],
        ['an earlier file', signEarlierFile(SENDER), 's.file_sha256 = new.file_sha256 and '],
      ] as const
    ).map(([what, signed, part]) => ({
      rule: `a person who signed ${what} can still sign this batch (${name})`,
      attempt: `${before}${signed}; ${tried(sign(person))}`,
      broken: `select where not exists (select from batch_signature
                where batch_id = 9001 and user_id = ${person} and file_sha256 = sha256('x'))`,
      fault: weaken(name, part),
    })),
  ),
  {
    rule: 'a person who is paid by another batch may approve this one',
    attempt: `${OTHER_BATCH}; update banking_batch_entry set batch_id = 9002; ${tried(approveBatch(PAYEE))}`,
    broken: 'select from banking_batch where id = 9001 and approved_by is null',
    fault: weaken('batch_insiders', '(e.batch_id = batch_insiders.batch) AND '),
  },
  {
    rule: 'a person who entered an account of someone else may approve a request',
    attempt: `update payee_bank_account set replaced_at = now();
              insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
                                              account_kind, created_by, created_at, usable_from)
                values (${REVISER}, 'Rita', 'person', '021000021', 'x', '9999', 'checking', ${CHECKER}, now(), now());
              ${tried(approveRequest(CHECKER))}`,
    broken: 'select from disbursement_request where id = 9001 and approver_id is null',
    fault: weaken('disbursement_insiders', 'a.user_id = d.payee_id and '),
  },
  {
    rule: 'money is booked whatever the amounts of other entries',
    attempt: `${recordCash('confirmed', CHECKER)}; ${tried(`${postCash('deposit', 100)}; set constraints all immediate`)}`,
    broken: `select where not exists (select from ledger_transaction where cash_entry_id = ${NEW_ENTRY})`,
    fault: weaken('check_cash_entry', 'p.transaction_id = new.id and '),
  },
  {
    rule: 'a delivery with a key can move to another month',
    attempt: `insert into delivery (delivery_key, channel, event, recipient)
                values ('moved', 'email', 'new_message', 'x@faults.test');
              update delivery set created_at = now() + interval '1 month' where delivery_key = 'moved'`,
    broken: `select where not exists (select from delivery where delivery_key = 'moved')`,
    fault: weaken(
      'claim_delivery_key',
      ' or exists (select from delivery_key where key = new.delivery_key and delivery_id = new.id)',
    ),
  },
  {
    rule: 'a two-factor method can be set with a time of its own',
    attempt: TWO_FACTOR,
    broken: `select from user_account where id = ${MAKER} and two_factor_since <> '2020-01-01'`,
    fault: weaken('keep_two_factor_since', 'and new.two_factor_since is not distinct from old.two_factor_since'),
  },
  {
    rule: 'a phone that was proved again is remembered once',
    attempt: `${provePhone(MAKER, SHARED_PHONE)}; ${provePhone(MAKER, SHARED_PHONE)}`,
    broken: `select from user_account where id = ${MAKER} and cardinality(proved_phones) <> 1`,
    fault: weaken('keep_confirmed_phone', ' and new.confirmed_phone <> all (new.proved_phones)'),
  },
];

const NEVER_EMPTIED = ['audit_entry', 'cash_entry', 'ledger_balance', 'ledger_posting', 'ledger_transaction'];

const PRESERVED: PlantedFault[] = [
  ...(
    [
      ['audit_entry', 'layer'],
      ['ledger_transaction', 'kind'],
      ['ledger_posting', 'case_id'],
      ['banking_batch_step', 'status'],
      ['batch_signature', 'file_sha256'],
    ] as const
  ).map(([table, column]) => ({
    rule: `rows of ${table} stay as they are`,
    attempt: `update ${table} set ${column} = ${column}`,
    refusal: `${table} is append-only`,
    fault: dropTrigger(table, 'is_append_only'),
  })),
  ...NEVER_EMPTIED.map((table) => {
    const others = NEVER_EMPTIED.filter((other) => other !== table);
    return {
      rule: `${table} is never emptied`,
      // Otherwise the triggers of the other tables would reject it.
      attempt: `${others.map((other) => dropTrigger(other, 'is_never_emptied')).join(';')}; truncate ${table} cascade`,
      refusal: `${table} is append-only`,
      fault: dropTrigger(table, 'is_never_emptied'),
    };
  }),
  ...(
    [
      ['cash_entry', 'amount_cents = 2', 'is decided once and never changed'],
      ['bank_return_file', `filename = 'other.txt'`, 'a return file is decided once'],
      ['role_grant', 'asked_at = now()', 'a grant is decided once'],
    ] as const
  ).map(([table, change, refusal]) => ({
    rule: `a row of ${table} that waits for a second person is not changed`,
    attempt: `update ${table} set ${change} where id = 9001`,
    refusal,
    fault: dropTrigger(table, 'is_kept'),
  })),
  {
    rule: 'a transaction has postings',
    attempt: `insert into ledger_transaction (case_id, kind, disbursement_id) values (1, 'hold', 9001)`,
    refusal: 'do not sum to zero',
    fault: dropTrigger('ledger_transaction', 'is_balanced'),
  },
  {
    rule: 'the postings of a transaction sum to zero',
    attempt: `insert into ledger_posting values (9001, 1, 'held', -1)`,
    refusal: 'do not sum to zero',
    fault: dropTrigger('ledger_posting', 'is_balanced'),
  },
  {
    rule: 'a balance is the sum of its postings',
    attempt: post('hold', ['funds', 100], ['held', -100]),
    broken: `select from ledger_posting p left join ledger_balance b using (case_id, account)
              group by case_id, account, b.amount_cents having sum(p.amount_cents) is distinct from b.amount_cents`,
    fault: dropTrigger('ledger_posting', 'is_counted'),
  },
  {
    rule: 'a balance is written only by postings',
    attempt: `update ledger_balance set amount_cents = amount_cents - 1 where account = 'funds'`,
    refusal: 'only postings may write a balance',
    fault: dropTrigger('ledger_balance', 'is_derived'),
  },
  {
    rule: 'a case cannot spend money that it does not have',
    attempt: post('hold', ['funds', 1001], ['held', -1001]),
    refusal: 'would be overdrawn',
    fault: dropTrigger('ledger_balance', 'is_covered'),
  },
  {
    rule: 'the calendar of a closed case is closed',
    attempt: `update case_file set status = 'closed' where id = 1`,
    broken: 'select from scheduled_payment where case_id = 1 and not case_ended',
    fault: dropTrigger('case_file', 'marks_its_calendar'),
  },
  {
    rule: 'a request is in at most one live batch',
    attempt: `insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents) values (9001, 9001, 9001, 100)`,
    refusal: 'banking_batch_entry_live_idx',
    fault: 'drop index banking_batch_entry_live_idx',
  },
  {
    rule: 'a delivery with a key is recorded once, whatever its month',
    attempt: `insert into delivery (delivery_key, channel, event, recipient, created_at)
              select 'twice', 'email', 'new_message', 'x@faults.test', now() + n * interval '1 month' from generate_series(0, 1) n`,
    broken: `select from delivery where delivery_key = 'twice' offset 1`,
    fault: dropTrigger('delivery', 'has_a_new_key'),
  },
  {
    rule: 'the last sign-in of a person is remembered',
    attempt: `insert into sign_in (user_id, layer, signed_in_at) values (${PAYEE}, 'api', now())`,
    broken: `select where not exists (select from last_sign_in where user_id = ${PAYEE} and signed_in_at = now())`,
    fault: dropTrigger('sign_in', 'is_the_last'),
  },
  {
    rule: 'a person has one account in use',
    attempt: `${enterAccount(CHECKER)}; update payee_bank_account set replaced_at = null`,
    refusal: 'payee_bank_account_current_idx',
    fault: 'drop index payee_bank_account_current_idx',
  },
  {
    rule: 'a line of the calendar is paid by one request',
    attempt: `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                                submitted_at, scheduled_payment_id)
              values (1, 'submitted', 100, 'Travel', 'x', ${PAYEE}, ${MAKER}, ${MAKER}, now(), 9001)`,
    refusal: 'disbursement_request_scheduled_payment_idx',
    fault: 'drop index disbursement_request_scheduled_payment_idx',
  },
];

const GRANTS: PlantedFault[] = (
  [
    ['app', 'update', 'audit_entry set action = action'],
    ['app', 'delete', 'from audit_entry'],
    ['app', 'update', 'ledger_transaction set memo = memo'],
    ['app', 'delete', 'from ledger_transaction'],
    ['app', 'update', 'ledger_posting set account = account'],
    ['app', 'delete', 'from ledger_posting'],
    ['app', 'update', 'ledger_balance set account = account'],
    ['app', 'delete', 'from ledger_balance'],
    ['app', 'delete', 'from schema_migration'],
    ['api', 'update', 'admin_role set name = name'],
    ['worker', 'select', 'password_hash from user_account'],
  ] as const
).map(([role, privilege, rest]) => {
  const table = rest.replace(/^.*\bfrom /, '').split(' ')[0];
  return {
    rule: `the role of ${role === 'app' ? 'all applications' : role} may not ${privilege} ${rest}`,
    attempt: `set local role case_platform_${role}; ${privilege} ${rest} where false`,
    refusal: 'permission denied',
    fault: `grant select, ${privilege} on ${table} to case_platform_${role}`,
  };
});

const FAULTS = [...TAKES_TWO, ...ONE_PERSON, ...CONDITIONS, ...PARTS, ...ACCEPTED, ...PRESERVED, ...GRANTS];

/** Runs an attempt and undoes it. */
async function breaksRule({ attempt, refusal, broken }: PlantedFault): Promise<boolean> {
  await owner.query('savepoint attempt');
  try {
    await owner.query(`${attempt}; set constraints all immediate`);
    return broken === undefined || (await owner.query(broken)).rowCount !== 0;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || refusal === undefined) throw error;
    assert.ok(error.constraint === refusal || error.message.includes(refusal), `${error.constraint}: ${error.message}`);
    return false;
  } finally {
    await owner.query('rollback to savepoint attempt');
  }
}

for (const fault of FAULTS)
  test(`${fault.rule}, and only while the schema enforces it`, async () => {
    await owner.query('begin');
    try {
      assert.equal(await breaksRule(fault), false, 'as the schema is');
      await owner.query(fault.fault);
      assert.equal(await breaksRule(fault), true, 'with the fault');
    } finally {
      await owner.query('rollback');
    }
  });

test('every trigger that enforces a rule has a fault here', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not tgisinternal and c.relnamespace = 'public'::regnamespace`,
  );
  const all = FAULTS.map(({ fault }) => fault).join('\n');
  // These announce a change, or fill in a time or words.
  const enforcing = rows.filter(({ name }) => !/_announced$|_keeps_two_factor_since$|_plain_words$/.test(name));
  assert.deepEqual(
    enforcing.filter(({ name }) => !all.includes(`drop trigger ${name} `)).map(({ name }) => name),
    [],
  );
});
