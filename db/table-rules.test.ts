import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/**
 * The rows that tables accept, at each edge of what their checks and unique rules allow. Commands check the same before, so
 * only an operator or an auditor would notice a rule that is missing here. Triggers and foreign keys are off.
 */

after(() => owner.end());
const { url } = await createTestDatabase();
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();
await owner.query('set session_replication_role = replica');

/** Expressions by column. */
type Values = Record<string, string>;

interface Rules {
  /** A row that is accepted. */
  row: Values;
  /** The fewest and most characters, or the least and greatest number, of a column. */
  text?: Record<string, [least: number, most: number]>;
  numbers?: Record<string, [least: number, most: number]>;
  /** Values of a column, and others that it does not accept. */
  forms?: Record<string, { accepted: string[]; refused: string[] }>;
  /** By constraint: changes that it rejects, and changes that it does not. */
  checks?: Record<string, { refused: Values[]; accepted: Values[] }>;
  /** By index: changes after which another row is the same to it, and changes after which it is another one. */
  unique?: Record<string, { same: Values[]; other: Values[] }>;
}

const NOW = 'now()';
const HASH = `sha256('x')`;
const CENTS: [number, number] = [1, 9_999_999_999];
const word = (text: string) => `'${text}'`;
const words = (...texts: string[]) => texts.map(word);
const RETURN_CODES = { accepted: words('R01', 'R99'), refused: words('C01', 'R1', 'R001', 'r01') };
const ROUTING = { accepted: words('021000021'), refused: words('02100002', '0210000211', '02100002x') };
const SIDES = { accepted: words('checking', 'savings'), refused: words('loan') };
const stored = (row: Values, table: string): Rules => ({
  row: { filename: word('a.png'), content_type: word('image/png'), size: '1', storage_key: word('files/a'), ...row },
  text: { filename: [1, 255] },
  unique: { [`${table}_storage_key_key`]: { same: [{ filename: word('b.png') }], other: [{ storage_key: word('files/b') }] } },
});
const SUBMITTED = { submitted_at: NOW, submitted_by: '2' };
const DECIDED = { ...SUBMITTED, decided_at: NOW, approver_id: '3' };
const CAME_BACK = { ...DECIDED, returned_at: NOW, return_code: word('R01') };
const FILE = { file: HASH, file_sha256: HASH, effective_date: NOW, file_day: NOW, file_id_modifier: word('A') };
const is = (status: string, more: Values = {}): Values => ({ status: word(status), ...more });

const TABLES: Record<string, Rules> = {
  disbursement_request: {
    row: { case_id: '1', amount_cents: '1', category: word('x'), description: word('x'), payee_id: '1', created_by: '1' },
    text: { category: [1, 100], description: [1, 2000], decision_reason: [1, 2000], end_reason: [1, 2000] },
    numbers: { amount_cents: CENTS },
    forms: {
      return_code: RETURN_CODES,
      draft_again_because: { accepted: words('changed', 'bank_account_changed'), refused: words('x') },
    },
    checks: {
      disbursement_request_check: {
        refused: [is('submitted'), is('submitted', { submitted_at: NOW }), is('submitted', { submitted_by: '2' })],
        accepted: [is('draft'), is('cancelled'), is('submitted', SUBMITTED)],
      },
      disbursement_request_check1: {
        refused: ['approved', 'batched'].flatMap((status) => [
          is(status, SUBMITTED),
          is(status, { ...SUBMITTED, decided_at: NOW }),
          is(status, { ...SUBMITTED, approver_id: '3' }),
        ]),
        accepted: [is('submitted', SUBMITTED), is('approved', DECIDED)],
      },
      disbursement_request_check2: {
        refused: [is('denied', DECIDED)],
        accepted: [is('denied', { ...DECIDED, decision_reason: word('x') })],
      },
      disbursement_request_check4: {
        refused: [
          is('returned', DECIDED),
          is('returned', { ...DECIDED, returned_at: NOW }),
          is('returned', { ...DECIDED, return_code: word('R01') }),
        ],
        accepted: [is('returned', CAME_BACK)],
      },
      ended_says_why: { refused: [is('ended', CAME_BACK)], accepted: [is('ended', { ...CAME_BACK, end_reason: word('x') })] },
      paid_says_when: { refused: [is('paid', DECIDED)], accepted: [is('paid', { ...DECIDED, paid_at: NOW })] },
      maker_is_never_checker: {
        refused: [{ approver_id: '1' }, is('submitted', { ...SUBMITTED, approver_id: '2' })],
        accepted: [is('submitted', { ...SUBMITTED, approver_id: '3' })],
      },
      reviser_is_never_checker: {
        refused: [{ approver_id: '3', revised_by: `'{4,3}'` }],
        accepted: [{ approver_id: '3', revised_by: `'{4}'` }],
      },
    },
    unique: {
      disbursement_request_scheduled_payment_idx: {
        same: [
          is('submitted', { ...SUBMITTED, scheduled_payment_id: '7' }),
          is('approved', { ...DECIDED, scheduled_payment_id: '7' }),
          is('batched', { ...DECIDED, scheduled_payment_id: '7' }),
          is('paid', { ...DECIDED, paid_at: NOW, scheduled_payment_id: '7' }),
        ],
        other: [
          is('draft', { scheduled_payment_id: '7' }),
          is('cancelled', { scheduled_payment_id: '7' }),
          is('denied', { ...DECIDED, decision_reason: word('x'), scheduled_payment_id: '7' }),
          is('returned', { ...CAME_BACK, scheduled_payment_id: '7' }),
          is('ended', { ...CAME_BACK, end_reason: word('x'), scheduled_payment_id: '7' }),
          is('submitted', { ...SUBMITTED, scheduled_payment_id: '8' }),
        ],
      },
    },
  },
  payee_bank_account: {
    row: {
      user_id: '1',
      holder_name: word('x'),
      holder_kind: word('person'),
      routing_number: word('021000021'),
      account_number: HASH,
      last_four: word('1234'),
      account_kind: word('checking'),
      created_by: '1',
      usable_from: NOW,
    },
    text: { holder_name: [1, 100] },
    forms: {
      account_kind: SIDES,
      holder_kind: { accepted: words('person', 'company'), refused: words('x') },
      routing_number: ROUTING,
      last_four: { accepted: words('12-A'), refused: words('123', '12345', '12 4') },
    },
    checks: {
      payee_bank_account_check: {
        refused: [{ usable_from: `now() - interval '1 second'` }],
        accepted: [{ usable_from: `now() + interval '2 days'` }],
      },
      payee_bank_account_check1: {
        refused: [{ flag_code: word('R02') }, { flagged_at: NOW }],
        accepted: [{ flag_code: word('R02'), flagged_at: NOW }],
      },
      payee_bank_account_check2: {
        refused: [{ correction: HASH, flag_code: word('R02'), flagged_at: NOW }],
        accepted: [{ correction: HASH, flag_code: word('C01'), flagged_at: NOW }],
      },
      payee_bank_account_flag_code_check: {
        refused: words('X01', 'R1', 'C001').map((flag_code) => ({ flag_code, flagged_at: NOW })),
        accepted: words('R02', 'C01').map((flag_code) => ({ flag_code, flagged_at: NOW })),
      },
    },
    unique: {
      payee_bank_account_current_idx: {
        same: [{ last_four: word('9999'), created_by: '2' }],
        other: [{ user_id: '2' }, { replaced_at: NOW }],
      },
    },
  },
  banking_batch: {
    row: { created_by: '1', entry_count: '1', total_cents: '1' },
    numbers: { total_cents: [0, 999_999_999_999], entry_count: [0, 500] },
    forms: {},
    checks: {
      banking_batch_check: {
        refused: [is('approved')],
        accepted: [is('draft'), is('cancelled'), is('approved', { approved_by: '2' })],
      },
      banking_batch_check1: {
        refused: ['outcome_unknown', 'transmitted', 'settled'].map((status) => is(status, { ...FILE, approved_by: '2' })),
        accepted: [
          is('generated', { ...FILE, approved_by: '2' }),
          is('settled', { ...FILE, approved_by: '2', handed_out_by: '2' }),
        ],
      },
      banking_batch_check2: {
        refused: [is('generated', { approved_by: '2' }), is('settled', { approved_by: '2', handed_out_by: '2' })],
        accepted: [is('approved', { approved_by: '2' })],
      },
      banking_batch_check3: {
        refused: Object.keys(FILE).map((column) => ({ ...FILE, [column]: 'null' })),
        accepted: [{ ...FILE }],
      },
      banking_batch_file_id_modifier_check: {
        refused: words('a', 'AA', '').map((file_id_modifier) => ({ ...FILE, file_id_modifier })),
        accepted: words('A', 'Z', '0', '9').map((file_id_modifier) => ({ ...FILE, file_id_modifier })),
      },
      maker_never_approves: { refused: [{ approved_by: '1' }], accepted: [{ approved_by: '2' }] },
      maker_never_pays: { refused: [{ handed_out_by: '1' }], accepted: [{ handed_out_by: '2' }] },
    },
    unique: {
      banking_batch_file_idx: {
        same: [{ ...FILE, total_cents: '2' }],
        other: [
          { ...FILE, file_id_modifier: word('B') },
          { ...FILE, file_day: `now() + interval '1 day'` },
        ],
      },
    },
  },
  banking_batch_entry: {
    row: { batch_id: '1', disbursement_id: '1', bank_account_id: '1', amount_cents: '1' },
    numbers: { amount_cents: CENTS },
    forms: {
      trace_number: {
        accepted: words('091000010000001'),
        refused: words('09100001000001', '0910000100000011', '09100001000000x'),
      },
    },
    checks: {
      banking_batch_entry_check: {
        refused: [{ returned_at: NOW }, { return_code: word('R01') }],
        accepted: [{ returned_at: NOW, return_code: word('R01') }],
      },
      banking_batch_entry_check1: {
        refused: [{ returned_at: NOW, return_code: word('R01'), released_at: NOW }],
        accepted: [{ released_at: NOW }],
      },
      banking_batch_entry_return_code_check: {
        refused: RETURN_CODES.refused.map((return_code) => ({ returned_at: NOW, return_code })),
        accepted: RETURN_CODES.accepted.map((return_code) => ({ returned_at: NOW, return_code })),
      },
    },
    unique: {
      banking_batch_entry_live_idx: {
        same: [{ batch_id: '2' }],
        other: [{ disbursement_id: '2' }, { released_at: NOW }, { returned_at: NOW, return_code: word('R01') }],
      },
    },
  },
  bank_return_file: {
    row: { file_sha256: HASH, filename: word('x'), uploaded_by: '1', content: HASH },
    text: { filename: [1, 255] },
    checks: {
      bank_return_file_check: {
        refused: [{ content: 'null' }, is('applied', { decided_by: '2', decided_at: NOW })],
        accepted: [is('applied', { decided_by: '2', decided_at: NOW, content: 'null' })],
      },
      bank_return_file_check1: {
        refused: [{ decided_by: '2' }, { decided_at: NOW }, { decided_by: '2', decided_at: NOW }],
        accepted: [{}],
      },
      bank_return_file_check2: {
        refused: [is('refused', { decided_by: '2', decided_at: NOW, content: 'null' }), { decision_reason: word('x') }],
        accepted: [is('refused', { decided_by: '2', decided_at: NOW, content: 'null', decision_reason: word('x') })],
      },
    },
    unique: {
      bank_return_file_live_idx: {
        same: [{ filename: word('y') }, is('applied', { decided_by: '2', decided_at: NOW, content: 'null' })],
        other: [
          { file_sha256: `sha256('y')` },
          is('refused', { decided_by: '2', decided_at: NOW, content: 'null', decision_reason: word('x') }),
        ],
      },
    },
  },
  bank_return_entry: {
    row: {
      file_id: '1',
      line: '1',
      code: word('R01'),
      original_trace: word('091000010000001'),
      amount_cents: '0',
      outcome: word('not_ours'),
    },
    forms: {
      code: { accepted: words('R01', 'C99'), refused: words('X01', 'R1') },
      original_trace: { accepted: words('091000010000002'), refused: words('1') },
    },
    checks: {
      bank_return_entry_check: {
        refused: [{ outcome: word('returned') }, { batch_entry_id: '1' }],
        accepted: [{ outcome: word('returned'), batch_entry_id: '1' }],
      },
      bank_return_entry_amount_cents_check: { refused: [{ amount_cents: '-1' }], accepted: [{ amount_cents: '0' }] },
    },
  },
  cash_entry: {
    row: { case_id: '1', kind: word('deposit'), amount_cents: '1', recorded_by: '1' },
    text: { memo: [0, 300] },
    numbers: { amount_cents: CENTS },
    forms: { kind: { accepted: words('deposit', 'refund'), refused: words('hold') } },
    checks: {
      cash_entry_check: {
        refused: [
          is('confirmed'),
          is('confirmed', { decided_by: '2' }),
          { decided_by: '2', decided_at: NOW },
          { decided_at: NOW },
        ],
        accepted: [is('confirmed', { decided_by: '2', decided_at: NOW })],
      },
      cash_entry_check1: {
        refused: [is('refused', { decided_by: '2', decided_at: NOW }), { decision_reason: word('x') }],
        accepted: [is('refused', { decided_by: '2', decided_at: NOW, decision_reason: word('x') })],
      },
    },
  },
  ledger_transaction: {
    row: { case_id: '1', kind: word('hold'), disbursement_id: '1' },
    text: { memo: [0, 300] },
    checks: {
      ledger_transaction_check: {
        refused: [{ disbursement_id: 'null' }, { kind: word('deposit') }, { kind: word('refund') }],
        accepted: [
          { kind: word('refund'), disbursement_id: 'null' },
          ...words('release', 'payment', 'return').map((kind) => ({ kind })),
        ],
      },
      cash_entry_moves_cash: {
        refused: words('hold', 'release', 'payment', 'return').map((kind) => ({ kind, cash_entry_id: '1' })),
        accepted: [{ kind: word('deposit'), disbursement_id: 'null', cash_entry_id: '1' }],
      },
    },
    unique: {
      ledger_transaction_cash_entry_id_key: {
        same: [{ kind: word('deposit'), disbursement_id: 'null', cash_entry_id: '5', memo: word('x') }],
        other: [{ kind: word('deposit'), disbursement_id: 'null', cash_entry_id: '6' }, {}],
      },
    },
  },
  ledger_posting: {
    row: { transaction_id: '1', case_id: '1', account: word('cash'), amount_cents: '1' },
    forms: { account: { accepted: words('cash', 'funds', 'held'), refused: words('other') } },
    checks: { ledger_posting_amount_cents_check: { refused: [{ amount_cents: '0' }], accepted: [{ amount_cents: '-1' }] } },
  },
  ledger_balance: {
    row: { case_id: '900', account: word('cash'), amount_cents: '1' },
    checks: {
      ledger_balance_check: {
        refused: [{ account: word('funds'), paid_in_cents: '1' }],
        accepted: [{ paid_in_cents: '1' }, { account: word('held') }],
      },
    },
  },
  payment_stop: {
    row: { payee_id: '1', case_id: '1', disbursement_id: '1', raised_by: '2', raised_at: NOW, reason: word('x') },
    text: { reason: [1, 10_000] },
    checks: {
      cleared_says_why: {
        refused: [
          { cleared_at: NOW },
          { cleared_at: NOW, cleared_by: '2' },
          { cleared_at: NOW, clear_reason: word('x') },
          { cleared_by: '2' },
        ],
        accepted: [{ cleared_at: NOW, cleared_by: '2', clear_reason: word('x') }],
      },
      payee_does_not_clear: { refused: [{ cleared_at: NOW, cleared_by: '1', clear_reason: word('x') }], accepted: [{}] },
    },
    unique: {
      payment_stop_live_idx: {
        same: [{ raised_by: '3', disbursement_id: '2' }],
        other: [{ payee_id: '2' }, { case_id: '2' }, { cleared_at: NOW, cleared_by: '2', clear_reason: word('x') }],
      },
    },
  },
  proof_of_funds: {
    row: { case_id: '1', amount_cents: '1', made_at: NOW, addressee: word('x'), issued_by: '1' },
    text: { addressee: [1, 200] },
    checks: {
      proof_of_funds_amount_cents_check: { refused: [{ amount_cents: '0' }], accepted: [{}] },
      proof_of_funds_check: {
        refused: [{ withdrawn_at: NOW }, { withdrawn_by: '1' }],
        accepted: [{ withdrawn_at: NOW, withdrawn_by: '1' }],
      },
    },
  },
  scheduled_payment: {
    row: { case_id: '1', category: word('x'), due_date: NOW, amount_cents: '1' },
    text: { category: [1, 100], description: [0, 2000] },
    numbers: { amount_cents: CENTS },
    checks: {
      scheduled_payment_check: {
        refused: [is('paid'), { paid_at: NOW }],
        accepted: [is('paid', { paid_at: NOW }), is('cancelled')],
      },
    },
  },
  case_benefit: {
    row: { case_id: '900', category: word('Rent'), period: word('case'), cap_cents: '1' },
    text: { category: [1, 100], note: [0, 2000] },
    numbers: { cap_cents: CENTS },
    forms: { period: { accepted: words('case', 'month'), refused: words('year') } },
    unique: {
      case_benefit_category_idx: { same: [{ category: word('RENT') }], other: [{ category: word('Rents') }, { case_id: '901' }] },
    },
  },
  case_milestone: {
    row: { case_id: '900', kind: word('birth'), happened_on: word('2026-01-01'), created_by: '1' },
    text: { note: [0, 2000] },
    checks: {
      case_milestone_check: {
        refused: [{ funding_required_cents: '1' }],
        accepted: [{ kind: word('pregnancy_confirmed'), funding_required_cents: '1' }],
      },
      case_milestone_funding_required_cents_check: {
        refused: ['0', '10000000000'].map((cents) => ({ kind: word('pregnancy_confirmed'), funding_required_cents: cents })),
        accepted: ['1', '9999999999'].map((cents) => ({ kind: word('pregnancy_confirmed'), funding_required_cents: cents })),
      },
    },
    unique: {
      case_milestone_once_idx: {
        same: [{ note: word('x') }],
        other: [{ case_id: '901' }, { kind: word('matched') }, { happened_on: word('2026-01-02') }],
      },
    },
  },
  funds_short_notice: {
    row: { case_id: '900', month: word('2026-01-01'), short_in: word('2026-02-01'), missing_cents: '1' },
    checks: {
      funds_short_notice_missing_cents_check: { refused: [{ missing_cents: '0' }], accepted: [{}] },
      funds_short_notice_month_check: { refused: [{ month: word('2026-01-02') }], accepted: [{}] },
    },
  },
  role_grant: {
    row: { admin_role_id: '1', user_id: '1', asked_by: '2' },
    checks: {
      role_grant_check: {
        refused: [{ permissions: `'{x}'` }, { user_id: 'null' }],
        accepted: [{ user_id: 'null', permissions: `'{x}'` }],
      },
      role_grant_check1: {
        refused: [is('confirmed'), { decided_by: '2', decided_at: NOW }, is('refused', { decided_by: '2' })],
        accepted: [is('confirmed', { decided_by: '2', decided_at: NOW })],
      },
      role_grant_permissions_check: { refused: [{ user_id: 'null', permissions: `'{}'` }], accepted: [{}] },
    },
    unique: {
      role_grant_of_a_person_idx: {
        same: [{ admin_role_id: '2' }],
        other: [{ user_id: '2' }, is('refused', { decided_by: '2', decided_at: NOW })],
      },
      role_grant_of_a_role_idx: {
        same: [{ user_id: 'null', permissions: `'{x}'` }],
        other: [
          { admin_role_id: '2', user_id: 'null', permissions: `'{x}'` },
          is('refused', { user_id: 'null', permissions: `'{x}'`, decided_by: '2', decided_at: NOW }),
        ],
      },
    },
  },
  case_document: stored({ case_id: '1', uploaded_by: '1' }, 'case_document'),
  disbursement_file: stored({ disbursement_id: '1', uploaded_by: '1' }, 'disbursement_file'),
  message_file: stored({ message_id: '1' }, 'message_file'),
  user_file: {
    ...stored({ user_id: '900', purpose: word('photo_id') }, 'user_file'),
    unique: {
      user_file_storage_key_key: {
        same: [{}, { user_id: '901' }, { purpose: word('profile_picture') }],
        other: [{ user_id: '901', storage_key: word('files/b') }],
      },
    },
  },
  picture_rendition: {
    row: { storage_key: word('files/a.96.webp'), picture_key: word('files/a'), width: '96' },
    numbers: { width: [16, 2048] },
    unique: {
      picture_rendition_picture_key_width_key: {
        same: [{ storage_key: word('files/c') }, { storage_key: word('files/d') }],
        other: [
          { storage_key: word('files/b'), width: '256' },
          { storage_key: word('files/b'), picture_key: word('files/b') },
        ],
      },
    },
  },
  address_change: {
    row: {
      user_id: '1',
      old_address: word('a@b'),
      new_address: word('c@d'),
      token_hash: HASH,
      requested_by: '1',
      requested_at: NOW,
      expires_at: NOW,
    },
    checks: {
      address_change_check: {
        refused: [{ confirmed_at: NOW, ended_at: NOW }],
        accepted: [{ confirmed_at: NOW }, { ended_at: NOW }],
      },
      address_change_new_address_check: { refused: [{ new_address: word('C@d') }, { new_address: word('cd') }], accepted: [{}] },
    },
    unique: {
      address_change_waiting_idx: {
        same: [{}, { token_hash: `sha256('y')`, new_address: word('e@f') }],
        other: ['user_id', 'confirmed_at', 'ended_at'].map((column) => ({
          token_hash: `sha256('y')`,
          [column]: column === 'user_id' ? '2' : NOW,
        })),
      },
      address_change_token_hash_key: { same: [{}, { user_id: '2' }], other: [{ user_id: '2', token_hash: `sha256('y')` }] },
    },
  },
  admin_role: {
    row: { name: word('Twice') },
    text: { name: [1, 100] },
    unique: { admin_role_name_idx: { same: [{}, { name: word('TWICE') }], other: [{ name: word('Thrice') }] } },
  },
  agency_api_key: {
    row: { agency_id: '1', key_hash: HASH },
    unique: {
      agency_api_key_key_hash_key: { same: [{}, { agency_id: '2', revoked_at: NOW }], other: [{ key_hash: `sha256('y')` }] },
    },
  },
  message: {
    row: { chain_id: '1', from_id: '1', from_type: word('ip'), to_admin: 'true', message: word('x') },
    checks: {
      message_check: { refused: [{ to_id: '1' }, { to_type: word('ip') }], accepted: [{ to_id: '1', to_type: word('ip') }] },
      message_check1: { refused: [{ to_admin: 'false', admin_viewed: NOW }], accepted: [{ admin_viewed: NOW }] },
      message_message_check: {
        refused: [{ message: `''` }, { message: `repeat('x', 10001)` }],
        accepted: [{ message: `''`, retracted_at: NOW }, { message: `repeat('x', 10000)` }],
      },
    },
    unique: {
      message_client_key_idx: {
        same: [{ client_key: word('k') }, { client_key: word('k'), chain_id: '2' }],
        other: [{ client_key: word('k'), from_id: '2' }, { client_key: word('l') }, {}],
      },
    },
  },
  password_reset: {
    row: { user_id: '1', token_hash: HASH, created_at: NOW, expires_at: NOW },
    forms: { purpose: { accepted: words('reset', 'invitation'), refused: words('other') } },
    unique: {
      password_reset_token_hash_key: { same: [{}, { user_id: '2', used_at: NOW }], other: [{ token_hash: `sha256('y')` }] },
    },
  },
  push_subscription: {
    row: {
      user_type: word('ip'),
      user_id: '900',
      endpoint: word('e'),
      p256dh: word('x'),
      auth: word('x'),
      vapid_key_id: word('x'),
    },
    unique: {
      push_subscription_user_type_user_id_endpoint_key: {
        same: [{}, { auth: word('y') }],
        other: [{ user_type: word('cm') }, { user_id: '901' }, { endpoint: word('f') }],
      },
    },
  },
  suppression: {
    row: { channel: word('email'), address: word('x@rules.test'), reason: word('bounced'), source: word('sendgrid') },
    unique: {
      suppression_channel_address_key: {
        same: [{}, { reason: word('complained') }],
        other: [{ channel: word('sms') }, { address: word('y@rules.test') }],
      },
    },
  },
  user_account: {
    row: { email_address: word('x@rules.test'), user_type: word('admin') },
    text: { first_name: [0, 100], last_name: [0, 100] },
    checks: {
      user_account_check: { refused: [{ user_type: word('ip'), admin_role_id: '1' }], accepted: [{ admin_role_id: '1' }] },
      user_account_check1: {
        refused: [{ two_factor_method: word('app') }],
        accepted: [{ two_factor_method: word('app'), two_factor_secret: HASH }, { two_factor_method: word('email') }],
      },
      user_account_check2: {
        refused: [{ two_factor_method: word('sms') }],
        accepted: [{ two_factor_method: word('sms'), phone: word('+12025550123') }],
      },
      user_account_check3: { refused: [{ erased_at: NOW }], accepted: [{ erased_at: NOW, status: word('deactivated') }] },
      user_account_email_address_check: {
        refused: [{ email_address: word('X@rules.test') }, { email_address: word('x@') }, { email_address: `repeat('x', 255)` }],
        accepted: [{ email_address: word('x@y') }, { email_address: `repeat('x', 254)` }],
      },
      user_account_phone_check: {
        refused: words('12025550123', '+0', '+123456', '+1234567890123456').map((phone) => ({ phone })),
        accepted: words('+1234567', '+123456789012345').map((phone) => ({ phone })),
      },
    },
    unique: {
      user_account_email_address_user_type_key: {
        same: [{}, { first_name: word('x'), status: word('invited') }],
        other: [{ user_type: word('ip') }, { email_address: word('y@rules.test') }],
      },
    },
  },
  idempotency_key: {
    row: { user_id: '1', key: word('k'), request_hash: HASH },
    text: { key: [1, 255] },
    unique: {
      idempotency_key_of_user: {
        same: [{ request_hash: `sha256('y')` }],
        other: [{ user_id: '2' }, { user_id: 'null' }, { key: word('l') }],
      },
    },
  },
};

await owner.query(`create function pg_temp.rejection_of(statement text) returns text language plpgsql as $do$
  declare name text;
  begin
    execute statement;
    raise exception 'accepted';
  exception when others then
    get stacked diagnostics name = constraint_name;
    if name = '' and sqlerrm <> 'accepted' then raise; end if;
    return nullif(name, '');
  end $do$`);

/** Inserts each row by itself and undoes it. @returns the constraint or index that rejects it, or null. */
async function rejectionsOf(table: string, { row }: Rules, changes: readonly Values[]): Promise<(string | null)[]> {
  const { rows } = await owner.query<{ name: string | null }>(
    `select pg_temp.rejection_of(statement) as name
       from unnest($1::text[]) with ordinality as s (statement, place) order by place`,
    [changes.map((change) => insertion(table, { ...row, ...change }))],
  );
  return rows.map(({ name }) => name);
}

const insertion = (table: string, values: Values) =>
  `insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})`;

function checksOf(table: string, { text = {}, numbers = {}, forms = {}, checks = {} }: Rules) {
  const of = (column: string, accepted: string[], refused: string[]) => {
    const changes = [accepted, refused].map((values) => values.map((value) => ({ [column]: value })));
    return [`${table}_${column}_check`, { accepted: changes[0] ?? [], refused: changes[1] ?? [] }] as const;
  };
  const long = (length: number) => `repeat('x', ${length})`;
  return new Map([
    ...Object.entries(text).map(([column, [least, most]]) =>
      of(column, [long(least), long(most)], [...(least > 0 ? [long(least - 1)] : []), long(most + 1)]),
    ),
    ...Object.entries(numbers).map(([column, [least, most]]) =>
      of(column, [`${least}`, `${most}`], [`${least - 1}`, ...(column === 'entry_count' ? [] : [`${most + 1}`])]),
    ),
    ...Object.entries(forms).map(([column, { accepted, refused }]) => of(column, accepted, refused)),
    ...Object.entries(checks),
  ]);
}

for (const [table, rules] of Object.entries(TABLES))
  test(`${table} accepts the rows that its rules allow, and no others`, async () => {
    const rejections = (changes: readonly Values[]) => rejectionsOf(table, rules, changes);
    const all = (changes: readonly Values[], name: string | null) => changes.map(() => name);
    assert.deepEqual(await rejections([{}]), [null]);
    for (const [name, { refused, accepted }] of checksOf(table, rules)) {
      assert.deepEqual(await rejections(refused), all(refused, name), JSON.stringify(refused));
      assert.ok(!(await rejections(accepted)).includes(name), `${name} accepts ${JSON.stringify(accepted)}`);
    }
    for (const [name, { same, other }] of Object.entries(rules.unique ?? {})) {
      await owner.query('begin');
      await owner.query(insertion(table, { ...rules.row, ...same[0] }));
      // The first of several is the row that the others are compared with.
      const others = same.slice(same.length > 1 ? 1 : 0);
      const seen = [await rejections(others), await rejections(other)];
      await owner.query('rollback');
      assert.deepEqual(seen, [all(others, name), all(other, null)], name);
    }
  });

/** Lists of values and of formats that the code has too, so that tests of commands notice a difference. */
const COVERED_COLUMNS = `status kind purpose outcome account channel reason source detail size user_type old_address address
  timezone confirmed_phone moved_because clear_reason two_factor_method client_key endpoint user_agent \\w*hash \\w*sha256`;
const COVERED = new RegExp(`_(?:${COVERED_COLUMNS.split(/\s+/).join('|')})_check$`);
/** Targets of foreign keys, and a name that is unique without regard to case, too. */
const IMPLIED = ['ledger_transaction_id_case_id_key', 'scheduled_payment_id_case_id_key', 'admin_role_name_key'];

test('every unique rule of the schema is here, and every check of these tables', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select conname as name from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace and conrelid::regclass::text = any($1)
     union all
     select c.relname from pg_index join pg_class c on c.oid = indexrelid
      where indisunique and not indisprimary and c.relnamespace = 'public'::regnamespace order by 1`,
    [Object.keys(TABLES)],
  );
  const listed = Object.entries(TABLES).flatMap(([table, rules]) => [
    ...checksOf(table, rules).keys(),
    ...Object.keys(rules.unique ?? {}),
  ]);
  const missing = rows.filter(({ name }) => !listed.includes(name) && !IMPLIED.includes(name) && !COVERED.test(name));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});
