import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../test/support/database.ts';

/**
 * Every limit, every list of words, and every combination of columns that the database enforces behind the code. Each check is
 * evaluated for values at its edges. The other columns are null, which every check accepts.
 */

const { pool } = await createTestDatabase();

/** How many characters a column accepts. */
const WORDS: Record<string, [least: number, most: number]> = {
  'address_change.new_address': [3, 254],
  'address_change.old_address': [3, 254],
  'admin_role.name': [1, 100],
  'agency.name': [1, 200],
  'agency_event.event_id': [1, 255],
  'agency_event.type': [1, 100],
  'audit_entry.request_id': [0, 64],
  'audit_entry.subject_label': [0, 300],
  'bank_profile.bank_name': [1, 23],
  'bank_profile.company_id': [1, 10],
  'bank_profile.company_name': [1, 16],
  'bank_profile.entry_description': [1, 10],
  'bank_profile.immediate_origin': [1, 10],
  'bank_return_file.decision_reason': [1, 300],
  'bank_return_file.filename': [1, 255],
  'banking_batch_step.note': [0, 300],
  'call_count.subject': [0, 64],
  'case_benefit.category': [1, 100],
  'case_benefit.note': [0, 2000],
  'case_document.filename': [1, 255],
  'case_file.name': [1, 200],
  'case_milestone.note': [0, 2000],
  'cash_entry.decision_reason': [1, 300],
  'cash_entry.memo': [0, 300],
  'chain_note.note': [1, 10_000],
  'delivery.delivery_key': [0, 300],
  'disbursement_file.filename': [1, 255],
  'disbursement_request.category': [1, 100],
  'disbursement_request.decision_reason': [1, 2000],
  'disbursement_request.description': [1, 2000],
  'disbursement_request.end_reason': [1, 2000],
  'disbursement_request.moved_because': [1, 40],
  'idempotency_key.key': [1, 255],
  'ledger_transaction.memo': [0, 300],
  'message.client_key': [1, 255],
  'message.message': [1, 10_000],
  'message_chain.subject': [0, 200],
  'message_file.filename': [1, 255],
  'notification_preference.event': [0, 100],
  'payee_bank_account.holder_name': [1, 100],
  'payment_stop.clear_reason': [1, 2000],
  'payment_stop.reason': [1, 10_000],
  'pending_upload.content_type': [0, 127],
  'pending_upload.filename': [1, 255],
  'pending_upload.purpose': [1, 40],
  'proof_of_funds.addressee': [1, 200],
  'provider_report.report_id': [1, 300],
  'push_subscription.endpoint': [0, 2048],
  'push_subscription.user_agent': [0, 500],
  'scheduled_payment.category': [1, 100],
  'scheduled_payment.description': [0, 2000],
  'sign_in.user_agent': [0, 400],
  'suppression.address': [0, 320],
  'suppression.detail': [0, 500],
  'suppression_lift.address': [0, 320],
  'user_account.email_address': [3, 254],
  'user_account.first_name': [0, 100],
  'user_account.last_name': [0, 100],
  'user_account.timezone': [0, 64],
  'user_file.filename': [1, 255],
  'worker_heartbeat.worker_id': [0, 200],
};

/** The words that a column accepts. */
const LISTS = {
  'audit_entry.layer': ['api', 'admin', 'worker', 'system'],
  'bank_profile.offset_account_kind': ['checking', 'savings'],
  'bank_return_entry.outcome': ['returned', 'corrected', 'already_returned', 'noted', 'not_ours'],
  'bank_return_file.status': ['waiting', 'applied', 'refused'],
  'banking_batch.status': ['draft', 'approved', 'generated', 'outcome_unknown', 'transmitted', 'settled', 'cancelled'],
  'case_benefit.period': ['case', 'month'],
  'case_file.status': ['intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled'],
  'case_milestone.kind': [
    'matched',
    'contract_signed',
    'medical_clearance',
    'embryo_transfer',
    'pregnancy_confirmed',
    'heartbeat_confirmed',
    'birth',
    'other',
  ],
  'cash_entry.kind': ['deposit', 'refund'],
  'cash_entry.status': ['waiting', 'confirmed', 'refused'],
  'delivery.channel': ['email', 'sms', 'push'],
  'delivery.outcome': ['delivered', 'bounced'],
  'delivery.state': ['queued', 'sent', 'failed', 'suppressed'],
  'disbursement_request.draft_again_because': ['bank_account_changed', 'changed'],
  'disbursement_request.status': [
    'draft',
    'submitted',
    'approved',
    'denied',
    'batched',
    'paid',
    'returned',
    'cancelled',
    'ended',
  ],
  'ledger_balance.account': ['cash', 'funds', 'held'],
  'ledger_posting.account': ['cash', 'funds', 'held'],
  'ledger_transaction.kind': ['deposit', 'refund', 'hold', 'release', 'payment', 'return'],
  'message_chain.status': ['open', 'closed'],
  'notification_preference.channel': ['email', 'sms', 'push'],
  'password_reset.purpose': ['reset', 'invitation'],
  'payee_bank_account.account_kind': ['checking', 'savings'],
  'payee_bank_account.holder_kind': ['person', 'company'],
  'provider_report.source': ['sendgrid', 'twilio'],
  'role_grant.status': ['waiting', 'confirmed', 'refused'],
  'scheduled_payment.status': ['planned', 'paid', 'cancelled'],
  'sign_in.layer': ['api', 'admin'],
  'stored_picture.failure': ['damaged', 'too_large', 'too_slow', 'unfinished'],
  'stored_picture.state': ['waiting', 'clean', 'failed'],
  'suppression.channel': ['email', 'sms'],
  'suppression.reason': ['bounced', 'invalid', 'unsubscribed', 'complained'],
  'suppression.source': ['sendgrid', 'twilio'],
  'suppression_lift.channel': ['email', 'sms'],
  'tfa_challenge.method': ['app', 'email', 'sms'],
  'tfa_challenge.purpose': ['api_login', 'admin_login', 'change'],
  'user_account.status': ['invited', 'active', 'deactivated'],
  'user_account.two_factor_method': ['app', 'email', 'sms'],
  'user_account.user_type': ['admin', 'surrogate', 'cm', 'owner', 'ip', 'ip_rep'],
  'user_file.purpose': ['profile_picture', 'photo_id'],
} satisfies Record<string, string[]>;

/** Hashes and keys: 32 bytes, no more and no fewer. */
const HASHES = [
  'address_change.token_hash',
  'admin_session.id_hash',
  'agency_api_key.key_hash',
  'backup_code.code_hash',
  'bank_return_file.file_sha256',
  'banking_batch.file_sha256',
  'batch_signature.file_sha256',
  'ended_web_session.id_hash',
  'idempotency_key.request_hash',
  'password_reset.token_hash',
  'tfa_challenge.code_hash',
  'unsubscribe_key.key',
];

const AMOUNT: [least: number, most: number] = [1, 9_999_999_999];
const NUMBERS: Record<string, [least: number, most: number | null]> = {
  'bank_profile.next_trace_sequence': [1, 9_999_999],
  'bank_return_entry.amount_cents': [0, null],
  'banking_batch.entry_count': [0, null],
  'banking_batch.total_cents': [0, 999_999_999_999],
  'banking_batch_entry.amount_cents': AMOUNT,
  'case_benefit.cap_cents': AMOUNT,
  'case_document.size': [1, null],
  'case_milestone.funding_required_cents': AMOUNT,
  'cash_entry.amount_cents': AMOUNT,
  'disbursement_file.size': [0, null],
  'disbursement_request.amount_cents': AMOUNT,
  'funds_short_notice.missing_cents': [1, null],
  'message_file.size': [0, null],
  'pending_upload.size': [1, null],
  'picture_rendition.width': [16, 2048],
  'proof_of_funds.amount_cents': [1, null],
  'scheduled_payment.amount_cents': AMOUNT,
  'stored_picture.attempts': [0, null],
  'stored_picture.size': [1, null],
  'user_file.size': [1, null],
};

const ROUTING = { taken: ['021000021'], refused: ['', '02100002', '0210000210', '02100002x'] };
const TRACE = { taken: ['021000020000001'], refused: ['', '02100002000001', '0210000200000010', '02100002000000x'] };
const CODE = { taken: ['R01', 'C99'], refused: ['', 'X01', 'R1', 'R001', 'r01', 'R0x'] };
const RETURN_CODE = { taken: ['R01', 'R99'], refused: [...CODE.refused, 'C01'] };
/** Values of the form that a column accepts, and others. */
const FORMS: Record<string, { taken: unknown[]; refused: unknown[] }> = {
  'admin_permission.value': { taken: ['view_users2'], refused: ['View', '2view', 'view-users', ''] },
  'audit_entry.action': {
    taken: ['user.update_own', `a.${'b'.repeat(62)}`],
    refused: ['user', 'user.', '.update', 'User.update', 'user.update2', `a.${'b'.repeat(63)}`],
  },
  'pending_upload.purpose': { taken: ['photo_id'], refused: ['Photo', '_photo', 'photo-id'] },
  'address_change.new_address': { taken: ['ann@twins.test'], refused: ['Ann@twins.test'] },
  'user_account.email_address': { taken: ['other@twins.test'], refused: ['Other@twins.test'] },
  'user_account.phone': {
    taken: ['+1202555', '+120255501234567'],
    refused: ['+120255', '+1202555012345678', '12025550143', '+02025550143', '+1202555014a'],
  },
  'user_account.confirmed_phone': {
    taken: ['+1202555', '+120255501234567'],
    refused: ['+120255', '+1202555012345678', '12025550143', '+02025550143'],
  },
  'bank_profile.offset_routing_number': ROUTING,
  'bank_profile.routing_number': ROUTING,
  'bank_profile.singleton': { taken: [true], refused: [false] },
  'bank_return_entry.code': CODE,
  'bank_return_entry.original_trace': TRACE,
  'banking_batch.file_id_modifier': { taken: ['A', 'Z', '0', '9'], refused: ['', 'a', 'AA', '-'] },
  'banking_batch_entry.return_code': RETURN_CODE,
  'banking_batch_entry.trace_number': TRACE,
  'database_copy.only_one': { taken: [true], refused: [false] },
  'disbursement_request.return_code': RETURN_CODE,
  'funds_short_notice.month': { taken: ['2026-01-01'], refused: ['2026-01-02', '2026-01-31'] },
  'ledger_posting.amount_cents': { taken: [1, -1], refused: [0] },
  'payee_bank_account.flag_code': CODE,
  'payee_bank_account.last_four': { taken: ['1234', 'a-Z9'], refused: ['', '123', '12345', '12 4', '12_4'] },
  'payee_bank_account.routing_number': ROUTING,
  'permission_catalogue.singleton': { taken: [true], refused: [false] },
};

type Values = Record<string, unknown>;
interface Together {
  /** The values of each column; all combinations are tried. */
  columns: Record<string, readonly unknown[]>;
  isTaken(row: Values): boolean;
}

const TIME = [null, '2026-01-05T12:00:00Z'];
const PERSON = [null, 1, 2];
const WORD = [null, 'x'];
const isOneOf =
  (...words: string[]) =>
  (value: unknown) =>
    words.includes(String(value));
/** The columns are all set, or all null. */
const areEqual = (row: Values, ...columns: string[]) => new Set(columns.map((column) => row[column] === null)).size === 1;

/** Combinations of columns that a row can and cannot have, by the name of the check. */
const TOGETHER: Record<string, Together> = {
  address_change_check: {
    columns: { confirmed_at: TIME, ended_at: TIME },
    isTaken: (row) => row.confirmed_at === null || row.ended_at === null,
  },
  bank_profile_check: {
    columns: {
      balanced: [true, false],
      offset_routing_number: WORD,
      offset_account_number: [null, '\\x01'],
      offset_last_four: WORD,
      offset_account_kind: WORD,
    },
    isTaken: ({ balanced, ...offset }) => !balanced || !Object.values(offset).includes(null),
  },
  bank_return_entry_check: {
    columns: { batch_entry_id: [null, 1], outcome: LISTS['bank_return_entry.outcome'] },
    isTaken: (row) => (row.batch_entry_id === null) === (row.outcome === 'not_ours'),
  },
  bank_return_file_check: {
    columns: { status: LISTS['bank_return_file.status'], content: [null, '\\x01'] },
    isTaken: (row) => (row.status === 'waiting') === (row.content !== null),
  },
  bank_return_file_check1: {
    columns: { status: LISTS['bank_return_file.status'], decided_by: PERSON, decided_at: TIME },
    isTaken: (row) => areEqual(row, 'decided_by', 'decided_at') && (row.status !== 'waiting' || row.decided_by === null),
  },
  bank_return_file_check2: {
    columns: { status: LISTS['bank_return_file.status'], decision_reason: WORD },
    isTaken: (row) => (row.status === 'refused') === (row.decision_reason !== null),
  },
  banking_batch_check: {
    columns: { status: LISTS['banking_batch.status'], approved_by: PERSON },
    isTaken: (row) => row.approved_by !== null || isOneOf('draft', 'cancelled')(row.status),
  },
  banking_batch_check1: {
    columns: { status: LISTS['banking_batch.status'], handed_out_by: PERSON },
    isTaken: (row) => row.handed_out_by !== null || !isOneOf('outcome_unknown', 'transmitted', 'settled')(row.status),
  },
  banking_batch_check2: {
    columns: { status: LISTS['banking_batch.status'], file: [null, '\\x01'] },
    isTaken: (row) => row.file !== null || isOneOf('draft', 'approved', 'cancelled')(row.status),
  },
  banking_batch_check3: {
    columns: {
      file: [null, '\\x01'],
      file_sha256: [null, '\\x01'],
      effective_date: [null, '2026-01-05'],
      file_day: [null, '2026-01-05'],
      file_id_modifier: [null, 'A'],
    },
    isTaken: (row) => areEqual(row, ...Object.keys(row)),
  },
  banking_batch_entry_check: {
    columns: { returned_at: TIME, return_code: WORD },
    isTaken: (row) => areEqual(row, 'returned_at', 'return_code'),
  },
  banking_batch_entry_check1: {
    columns: { returned_at: TIME, released_at: TIME },
    isTaken: (row) => row.returned_at === null || row.released_at === null,
  },
  case_milestone_check: {
    columns: { kind: LISTS['case_milestone.kind'], funding_required_cents: [null, 1] },
    isTaken: (row) => row.funding_required_cents === null || row.kind === 'pregnancy_confirmed',
  },
  cash_entry_check: {
    columns: { status: LISTS['cash_entry.status'], decided_by: PERSON, decided_at: TIME },
    isTaken: (row) => (row.status === 'waiting') === (row.decided_by === null) && areEqual(row, 'decided_by', 'decided_at'),
  },
  cash_entry_check1: {
    columns: { status: LISTS['cash_entry.status'], decision_reason: WORD },
    isTaken: (row) => (row.status === 'refused') === (row.decision_reason !== null),
  },
  cash_entry_moves_cash: {
    columns: { cash_entry_id: [null, 1], kind: LISTS['ledger_transaction.kind'] },
    isTaken: (row) => row.cash_entry_id === null || isOneOf('deposit', 'refund')(row.kind),
  },
  cleared_says_why: {
    columns: { cleared_at: TIME, cleared_by: PERSON, clear_reason: WORD },
    isTaken: (row) => areEqual(row, 'cleared_at', 'cleared_by', 'clear_reason'),
  },
  disbursement_request_check: {
    columns: { status: LISTS['disbursement_request.status'], submitted_at: TIME, submitted_by: PERSON },
    isTaken: (row) => isOneOf('draft', 'cancelled')(row.status) || (row.submitted_at !== null && row.submitted_by !== null),
  },
  disbursement_request_check1: {
    columns: { status: LISTS['disbursement_request.status'], decided_at: TIME, approver_id: PERSON },
    isTaken: (row) =>
      isOneOf('draft', 'submitted', 'cancelled')(row.status) || (row.decided_at !== null && row.approver_id !== null),
  },
  disbursement_request_check2: {
    columns: { status: LISTS['disbursement_request.status'], decision_reason: WORD },
    isTaken: (row) => row.status !== 'denied' || row.decision_reason !== null,
  },
  disbursement_request_check4: {
    columns: { status: LISTS['disbursement_request.status'], returned_at: TIME, return_code: WORD },
    isTaken: (row) => !isOneOf('returned', 'ended')(row.status) || (row.returned_at !== null && row.return_code !== null),
  },
  ended_says_why: {
    columns: { status: LISTS['disbursement_request.status'], end_reason: WORD },
    isTaken: (row) => row.status !== 'ended' || row.end_reason !== null,
  },
  ledger_balance_check: {
    columns: { account: LISTS['ledger_balance.account'], paid_in_cents: [-1, 0, 1] },
    isTaken: (row) => row.account === 'cash' || row.paid_in_cents === 0,
  },
  ledger_transaction_check: {
    columns: { kind: LISTS['ledger_transaction.kind'], disbursement_id: [null, 1] },
    isTaken: (row) => isOneOf('deposit', 'refund')(row.kind) === (row.disbursement_id === null),
  },
  maker_is_never_checker: {
    columns: { approver_id: PERSON, created_by: PERSON, submitted_by: PERSON },
    isTaken: (row) => row.approver_id === null || (row.approver_id !== row.created_by && row.approver_id !== row.submitted_by),
  },
  maker_never_approves: {
    columns: { approved_by: PERSON, created_by: [1, 2], handed_out_by: PERSON },
    isTaken: (row) => row.approved_by !== row.created_by,
  },
  maker_never_pays: {
    columns: { approved_by: PERSON, created_by: [1, 2], handed_out_by: PERSON },
    isTaken: (row) => row.handed_out_by !== row.created_by,
  },
  message_check: { columns: { to_id: PERSON, to_type: WORD }, isTaken: (row) => areEqual(row, 'to_id', 'to_type') },
  message_check1: {
    columns: { to_admin: [true, false], admin_viewed: TIME },
    isTaken: (row) => row.to_admin === true || row.admin_viewed === null,
  },
  message_message_check: {
    columns: { message: ['', 'x', 'x'.repeat(10_000), 'x'.repeat(10_001)], retracted_at: TIME },
    isTaken: ({ message, retracted_at }) => String(message).length <= 10_000 && (message !== '' || retracted_at !== null),
  },
  paid_says_when: {
    columns: { status: LISTS['disbursement_request.status'], paid_at: TIME },
    isTaken: (row) => row.status !== 'paid' || row.paid_at !== null,
  },
  payee_bank_account_check: {
    columns: {
      created_at: ['2026-01-05T12:00:00Z'],
      usable_from: ['2026-01-05T11:59:59.999Z', '2026-01-05T12:00:00Z', '2026-01-05T12:00:00.001Z'],
    },
    isTaken: (row) => String(row.usable_from) >= '2026-01-05T12',
  },
  payee_bank_account_check1: {
    columns: { flag_code: [null, 'R01', 'C01'], flagged_at: TIME },
    isTaken: (row) => areEqual(row, 'flag_code', 'flagged_at'),
  },
  payee_bank_account_check2: {
    columns: { flag_code: ['R01', 'R99', 'C01', 'C99'], correction: [null, '\\x01'] },
    isTaken: (row) => row.correction === null || String(row.flag_code).startsWith('C'),
  },
  payee_does_not_clear: {
    columns: { payee_id: [1, 2], cleared_by: PERSON, raised_by: PERSON },
    isTaken: (row) => row.cleared_by !== row.payee_id,
  },
  proof_of_funds_check: {
    columns: { withdrawn_at: TIME, withdrawn_by: PERSON },
    isTaken: (row) => areEqual(row, 'withdrawn_at', 'withdrawn_by'),
  },
  reviser_is_never_checker: {
    columns: { approver_id: PERSON, revised_by: [[], [1], [2, 1], [2]] },
    isTaken: ({ approver_id, revised_by }) => !(revised_by as unknown[]).includes(approver_id),
  },
  role_grant_check: {
    columns: { user_id: PERSON, permissions: [null, ['x']] },
    isTaken: (row) => (row.user_id === null) === (row.permissions !== null),
  },
  role_grant_check1: {
    columns: { status: LISTS['role_grant.status'], decided_by: PERSON, decided_at: TIME },
    isTaken: (row) => (row.status === 'waiting') === (row.decided_by === null) && areEqual(row, 'decided_by', 'decided_at'),
  },
  role_grant_permissions_check: {
    columns: { permissions: [null, [], ['x'], ['x', 'y']] },
    isTaken: ({ permissions }) => permissions === null || (permissions as string[]).length > 0,
  },
  scheduled_payment_check: {
    columns: { status: LISTS['scheduled_payment.status'], paid_at: TIME },
    isTaken: (row) => (row.status === 'paid') === (row.paid_at !== null),
  },
  user_account_check: {
    columns: { user_type: LISTS['user_account.user_type'], admin_role_id: [null, 1] },
    isTaken: (row) => row.user_type === 'admin' || row.admin_role_id === null,
  },
  user_account_check1: {
    columns: { two_factor_method: [null, 'app', 'email', 'sms'], two_factor_secret: [null, '\\x01'] },
    isTaken: (row) => row.two_factor_method !== 'app' || row.two_factor_secret !== null,
  },
  user_account_check2: {
    columns: { two_factor_method: [null, 'app', 'email', 'sms'], phone: WORD },
    isTaken: (row) => row.two_factor_method !== 'sms' || row.phone !== null,
  },
  user_account_check3: {
    columns: { status: LISTS['user_account.status'], erased_at: TIME },
    isTaken: (row) => row.erased_at === null || row.status === 'deactivated',
  },
};

/** The rows that a unique index is about, by its name. */
const UNIQUE_AMONG: Record<string, Together> = {
  address_change_waiting_idx: {
    columns: { confirmed_at: TIME, ended_at: TIME },
    isTaken: (row) => row.confirmed_at === null && row.ended_at === null,
  },
  bank_return_file_live_idx: {
    columns: { status: LISTS['bank_return_file.status'] },
    isTaken: (row) => row.status !== 'refused',
  },
  banking_batch_entry_live_idx: {
    columns: { released_at: TIME, returned_at: TIME },
    isTaken: (row) => row.released_at === null && row.returned_at === null,
  },
  case_milestone_once_idx: { columns: { kind: LISTS['case_milestone.kind'] }, isTaken: (row) => row.kind !== 'other' },
  disbursement_request_scheduled_payment_idx: {
    columns: { status: LISTS['disbursement_request.status'] },
    isTaken: (row) => isOneOf('submitted', 'approved', 'batched', 'paid')(row.status),
  },
  message_client_key_idx: { columns: { client_key: WORD }, isTaken: (row) => row.client_key !== null },
  payee_bank_account_current_idx: { columns: { replaced_at: TIME }, isTaken: (row) => row.replaced_at === null },
  payment_stop_live_idx: { columns: { cleared_at: TIME }, isTaken: (row) => row.cleared_at === null },
  role_grant_of_a_person_idx: {
    columns: { status: LISTS['role_grant.status'] },
    isTaken: (row) => row.status === 'waiting',
  },
  role_grant_of_a_role_idx: {
    columns: { status: LISTS['role_grant.status'], user_id: PERSON },
    isTaken: (row) => row.status === 'waiting' && row.user_id === null,
  },
};

interface Check {
  name: string;
  table_name: string;
  condition: string;
}
const { rows: checks } = await pool.query<Check>(
  `select conname::text as name, conrelid::regclass::text as table_name, pg_get_expr(conbin, conrelid) as condition
     from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace and convalidated and conenforced
   union all
   select indexrelid::regclass::text, indrelid::regclass::text, pg_get_expr(indpred, indrelid)
     from pg_index where indisunique and indpred is not null and indrelid::regclass::text !~ '[.]'`,
);

/** For each row of values: true if the check accepts it, or if the index is about it. */
async function tryRows(name: string, rows: Values[]): Promise<boolean[]> {
  const check = checks.find((one) => one.name === name);
  assert.ok(check, `${name} is missing`);
  const { table_name, condition } = check;
  const answer = await pool.query<{ taken: boolean }>(
    `select (${condition}) is not false as taken
       from jsonb_array_elements($1) with ordinality given (row_values, row_number), jsonb_populate_record(null::${table_name}, given.row_values) ${table_name}
      order by given.row_number`,
    [JSON.stringify(rows)],
  );
  return answer.rows.map(({ taken }) => taken);
}

/** Fails unless the check of a column accepts exactly some of the values. */
async function assertTaken(place: string, taken: readonly unknown[], refused: readonly unknown[]): Promise<void> {
  const [table = '', column = ''] = place.split('.');
  const values = [...taken, ...refused];
  const answers = await tryRows(
    `${table}_${column}_check`,
    values.map((value) => ({ [column]: value })),
  );
  const accepted = values.filter((_value, at) => answers[at]);
  assert.deepEqual(accepted, taken, place);
}

test('a text has as many characters as its column accepts, and not one fewer or more', async () => {
  for (const [place, [least, most]] of Object.entries(WORDS)) {
    const others = [least - 1, most + 1].filter((length) => length >= 0);
    const [taken, refused] = [[least, most], others].map((lengths) => lengths.map((length) => 'x'.repeat(length)));
    await assertTaken(place, taken ?? [], refused ?? []);
  }
});

test('a column accepts each word of its list, and no other', async () => {
  for (const [place, words] of Object.entries(LISTS)) {
    await assertTaken(place, words, ['unlisted', '', words[0]?.toUpperCase()]);
    const condition = checks.find(({ name }) => name === `${place.replace('.', '_')}_check`)?.condition ?? '';
    const listed = [...condition.matchAll(/'([^']*)'::text/g)].map(([, word]) => word);
    assert.deepEqual(listed.sort(), words.toSorted(), place);
  }
});

test('a hash has 32 bytes', async () => {
  const bytes = (length: number) => `\\x${'01'.repeat(length)}`;
  for (const place of HASHES) await assertTaken(place, [bytes(32)], [bytes(31), bytes(33)]);
});

test('a number is within the limits of its column', async () => {
  for (const [place, [least, most]] of Object.entries(NUMBERS))
    await assertTaken(place, most === null ? [least] : [least, most], most === null ? [least - 1] : [least - 1, most + 1]);
});

test('a value has the form that its column accepts', async () => {
  for (const [place, { taken, refused }] of Object.entries(FORMS)) await assertTaken(place, taken, refused);
});

test('columns of a row agree with each other, and a row is unique while it counts', async () => {
  for (const [name, { columns, isTaken }] of Object.entries({ ...TOGETHER, ...UNIQUE_AMONG })) {
    const rows = Object.entries(columns).reduce<Values[]>(
      (all, [column, values]) => all.flatMap((row) => values.map((value) => Object.assign({ [column]: value }, row))),
      [{}],
    );
    const taken = await tryRows(name, rows);
    assert.deepEqual(
      rows.filter((_row, at) => taken[at]),
      rows.filter(isTaken),
      name,
    );
    assert.ok(taken.includes(true) && taken.includes(false), name);
  }
});

test('every check and every condition of a unique index is tested here', () => {
  const places = [...Object.keys({ ...WORDS, ...LISTS, ...NUMBERS, ...FORMS }), ...HASHES];
  const tried = new Set([
    ...places.map((place) => `${place.replace('.', '_')}_check`),
    ...Object.keys(TOGETHER),
    ...Object.keys(UNIQUE_AMONG),
  ]);
  assert.deepEqual(
    checks.map(({ name }) => name).filter((name) => !tried.has(name)),
    [],
  );
});
