/** The processes with a database role of their own. The web frontend has none. */
export const PROCESSES = ['api', 'admin', 'worker'] as const;
export type ProcessRole = (typeof PROCESSES)[number];

/** Operations on a table's rows: `r` read, `a` add, `c` change, `d` delete, `l` lock without changing. */
type Verb = 'r' | 'a' | 'c' | 'd' | 'l';

/**
 * The operations of each process on each table, which are all that it may do (DATABASE-5). No process may use a table that is
 * not listed here. `test/apart/roles.test.ts` compares this with the code in both directions.
 */
const MATRIX = `
  table                    api   admin  worker
  address_change           rac   rac    rdl
  admin_permission         -     racd   -
  admin_role               r     racd   r
  admin_role_permission    r     rad    r
  admin_session            rd    racd   rdl
  agency                   r     rac    -
  agency_api_key           rc    rac    -
  agency_event             ra    r      rdl
  audit_entry              ra    ra     a
  backup_code              racd  racd   -
  bank_profile             -     rac    -
  bank_return_entry        -     ra     -
  bank_return_file         -     rac    -
  banking_batch            rc    rac    r
  banking_batch_entry      rc    rac    r
  banking_batch_step       a     ra     -
  batch_signature          -     ra     -
  call_count               racd  racd   -
  case_admin               r     rad    r
  case_benefit             rad   rad    -
  case_document            rad   rad    r
  case_file                rl    rac    rc
  case_milestone           r     ra     r
  case_participant         r     rac    r
  cash_entry               r     rac    -
  chain_note               ra    ra     -
  database_copy            r     r      r
  database_run             ra    ra     ra
  delivery                 rac   rac    racd
  delivery_key             -     -      rdl
  disbursement_file        rad   rad    r
  disbursement_request     rac   rac    rc
  ended_web_session        ra    r      rdl
  funds_short_notice       -     -      ra
  idempotency_key          racd  racd   rdl
  last_sign_in             r     r      r
  ledger_balance           r     r      r
  ledger_posting           ra    ra     -
  ledger_transaction       ra    ra     -
  message                  rac   rac    rc
  message_chain            rac   rac    rc
  message_chain_group      rac   rac    r
  message_file             rad   rad    r
  message_mail             -     -      rac
  message_recipient        rac   rac    r
  notification_preference  rac   r      r
  outbox                   rad   rad    rad
  outbox_publisher         rac   rac    rac
  password_reset           rc    rac    radl
  payee_bank_account       rac   rac    r
  payment_stop             ra    rac    r
  pending_upload           racd  racd   rdl
  permission_catalogue     -     rac    -
  picture_rendition        rd    rd     ra
  proof_of_funds           rac    rc     -
  provider_report          ra    -      rdl
  push_subscription        racd  r      rcd
  role_grant               -     rac    -
  scheduled_payment        rl    rac    r
  schema_migration         r     r      r
  sign_in                  ra    ra     rdl
  stored_picture           rad   rad    rc
  suppression              ra    rd     r
  suppression_lift         r     rac    rdl
  tfa_challenge            rac   rac    rdl
  throttle                 racd  racd   rdl
  unsubscribe_key          r     -      rac
  user_account             rc    rac    rc
  user_file                rad   r      r
  worker_heartbeat         -     -      racd
`;

/** Columns that a process may not read, of tables that it otherwise reads. */
const UNREAD: Partial<Record<ProcessRole, Record<string, readonly string[]>>> = {
  api: {
    banking_batch: ['file'],
    payee_bank_account: ['correction'],
  },
  worker: {
    address_change: ['old_address', 'new_address', 'token_hash'],
    admin_session: ['csrf_token', 'user_id'],
    banking_batch: ['file', 'file_sha256'],
    banking_batch_entry: ['trace_number'],
    password_reset: ['token_hash', 'used_from'],
    payee_bank_account: ['holder_name', 'routing_number', 'account_number', 'correction'],
    sign_in: ['ip_address', 'user_agent'],
    tfa_challenge: ['code_hash', 'new_secret', 'sent_to'],
    throttle: ['points'],
    user_account: ['password_hash', 'password_stands_alone', 'two_factor_secret', 'totp_last_step'],
  },
};

/**
 * The columns that a process changes, for tables of which it does not change all. To lock a row, PostgreSQL requires the right to
 * change one of its columns: `id`, unless a column is named here that allows less harm.
 */
const CHANGED: Partial<Record<ProcessRole, Record<string, readonly string[]>>> = {
  api: {
    agency_api_key: ['last_used_at'],
    banking_batch: ['status', 'approved_by', 'entry_count', 'total_cents'],
    banking_batch_entry: ['released_at'],
    payee_bank_account: ['replaced_at'],
    user_account: [
      'email_address',
      'first_name',
      'last_name',
      'phone',
      'timezone',
      'search',
      'search_version',
      'status',
      'updated_at',
      'password_hash',
      'password_stands_alone',
      'two_factor_method',
      'two_factor_secret',
      'totp_last_step',
      'two_factor_since',
    ],
  },
  worker: {
    admin_session: ['user_type'],
    agency_event: ['received_at'],
    case_file: ['close_reminded_for', 'search', 'search_version'],
    delivery_key: ['created_at'],
    disbursement_request: [
      'approver_id',
      'promised_date',
      'promised_before',
      'moved_because',
      'updated_at',
      'search',
      'search_version',
    ],
    ended_web_session: ['ended_at'],
    idempotency_key: ['created_at'],
    message: ['search', 'search_version'],
    provider_report: ['received_at'],
    push_subscription: ['renew_since'],
    suppression_lift: ['lifted_at'],
    tfa_challenge: ['created_at'],
    throttle: ['expire'],
    user_account: ['search', 'search_version'],
  },
};

/** The operations of each process on graphile-worker's tables. Adding a job also reads how many are waiting. */
const QUEUE: Record<ProcessRole, Record<string, string>> = {
  api: { _private_tasks: 'ra', _private_job_queues: 'ra', _private_jobs: 'rac', migrations: 'r' },
  admin: { _private_tasks: 'ra', _private_job_queues: 'ra', _private_jobs: 'rac', migrations: 'r' },
  worker: {
    _private_tasks: 'racd',
    _private_job_queues: 'racd',
    _private_jobs: 'racd',
    _private_known_crontabs: 'racd',
    migrations: 'r',
    jobs: 'r',
  },
};

/** Functions that do with the rights of the owner what the role of the worker could not: create and drop partitions of months. */
export const MONTH_FUNCTIONS = ['create_months(timestamptz)', 'drop_months(text, timestamptz)'];

/** The rights of a role on one table. */
export interface TableAccess {
  /** With its schema. */
  table: string;
  verbs: readonly Verb[];
  /** Columns that may not be read, of a table that may be. */
  unread: readonly string[];
  /** The only columns that may be changed; undefined for all. */
  changed: readonly string[] | undefined;
}

/** Lists the rights of a process's role, one row per table. */
export function accessOf(process: ProcessRole): TableAccess[] {
  const [head = [], ...rows] = MATRIX.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const at = head.indexOf(process);
  const own = rows.map(([table = '', ...cells]) => ({
    table: `public.${table}`,
    verbs: verbsOf(cells[at - 1] ?? ''),
    unread: UNREAD[process]?.[table] ?? [],
    changed: CHANGED[process]?.[table],
  }));
  const queue = Object.entries(QUEUE[process]).map(([table, verbs]) => ({
    table: `graphile_worker.${table}`,
    verbs: verbsOf(verbs),
    unread: [],
    changed: undefined,
  }));
  return [...own, ...queue].filter(({ verbs }) => verbs.length > 0);
}

function verbsOf(letters: string): Verb[] {
  return (['r', 'a', 'c', 'd', 'l'] as const).filter((verb) => letters.includes(verb));
}
