-- Milestones, the calendar of payments, disbursement requests and the ledger that their money moves in.

alter table case_file
  -- Who approves the case's requests; none: its first parent.
  add column approver_id bigint references user_account (id),
  -- When the case is to be closed, and the due date that its Escrow Specialist was last reminded of.
  add column close_due_on date,
  add column close_reminded_for date;
create index case_file_approver_idx on case_file (approver_id) where approver_id is not null;
create index case_file_close_due_idx on case_file (close_due_on)
  where close_due_on is not null and status not in ('closed', 'cancelled');

create table case_milestone (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('matched', 'contract_signed', 'medical_clearance', 'embryo_transfer',
    'pregnancy_confirmed', 'heartbeat_confirmed', 'birth', 'other')),
  happened_on date not null,
  note text not null default '' check (length(note) <= 2000),
  -- What the parents have to pay in by reason of this milestone.
  funding_required_cents bigint check (funding_required_cents between 1 and 9999999999),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  check (kind = 'pregnancy_confirmed' or funding_required_cents is null)
);
create index case_milestone_case_idx on case_milestone (case_id, happened_on desc, id desc);
-- A second click adds nothing, and mails nobody twice.
create unique index case_milestone_once_idx on case_milestone (case_id, kind, happened_on) where kind <> 'other';

-- SPC: one line of a case's payment calendar. The request that pays it points here.
create table scheduled_payment (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  category text not null check (length(category) between 1 and 100),
  description text not null default '' check (length(description) <= 2000),
  payee_id bigint references user_account (id),
  due_date date not null,
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  status text not null default 'planned' check (status in ('planned', 'paid', 'cancelled')),
  paid_at timestamptz,
  created_at timestamptz not null default now(),
  unique (id, case_id),
  check ((status = 'paid') = (paid_at is not null))
);
create index scheduled_payment_case_idx on scheduled_payment (case_id, due_date, id);
create index scheduled_payment_category_idx on scheduled_payment (case_id, category, status);

-- DR. draft -> submitted -> approved | denied; approved -> batched -> paid -> returned; draft, submitted -> cancelled.
create table disbursement_request (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  status text not null default 'draft'
    check (status in ('draft', 'submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled')),
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  category text not null check (length(category) between 1 and 100),
  description text not null check (length(description) between 1 and 2000),
  payee_id bigint not null references user_account (id),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When it reached the state that it is in.
  status_since timestamptz not null default now(),
  submitted_by bigint references user_account (id),
  submitted_at timestamptz,
  -- Who is asked to decide, and afterwards who did; none: staff who may approve.
  approver_id bigint references user_account (id),
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 2000),
  -- The day that its batch names; before there is one, the day is worked out.
  bank_date date,
  paid_at timestamptz,
  returned_at timestamptz,
  return_code text check (return_code ~ '^R[0-9]{2}$'),
  -- Where it is talked about.
  chain_id bigint references message_chain (id),
  scheduled_payment_id bigint,
  foreign key (scheduled_payment_id, case_id) references scheduled_payment (id, case_id),
  -- Maker is never checker.
  constraint maker_is_never_checker check (approver_id <> created_by and approver_id <> submitted_by),
  check (status in ('draft', 'cancelled') or (submitted_at is not null and submitted_by is not null)),
  check (status not in ('approved', 'denied', 'batched', 'paid', 'returned') or (decided_at is not null and approver_id is not null)),
  check (status <> 'denied' or decision_reason is not null),
  check (status not in ('paid', 'returned') or paid_at is not null),
  check (status <> 'returned' or (returned_at is not null and return_code is not null))
);
create index disbursement_request_case_idx on disbursement_request (case_id, id desc);
create index disbursement_request_case_status_idx on disbursement_request (case_id, status, id desc);
create index disbursement_request_status_idx on disbursement_request (status, id desc);
create index disbursement_request_approver_idx on disbursement_request (approver_id, id desc) where status = 'submitted';
create index disbursement_request_payee_idx on disbursement_request (payee_id, status);
create index disbursement_request_chain_idx on disbursement_request (chain_id) where chain_id is not null;
-- A scheduled payment is paid by one request at most.
create unique index disbursement_request_scheduled_payment_idx on disbursement_request (scheduled_payment_id)
  where status not in ('denied', 'cancelled', 'returned');

-- Receipts; they lie in object storage, addresses are signed on reading.
create table disbursement_file (
  id bigint generated always as identity primary key,
  disbursement_id bigint not null references disbursement_request (id),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size >= 0),
  storage_key text not null unique,
  uploaded_by bigint not null references user_account (id),
  created_at timestamptz not null default now()
);
create index disbursement_file_disbursement_idx on disbursement_file (disbursement_id, id);

-- The ledger: double entry, one set of accounts a case, append-only. Debits are positive, credits negative.
--   cash   what lies at the bank for the case          (debit)
--   funds  what the case may still spend               (credit)
--   held   what is set aside for approved requests     (credit)
create table ledger_transaction (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('deposit', 'refund', 'hold', 'release', 'payment', 'return')),
  disbursement_id bigint references disbursement_request (id),
  memo text not null default '' check (length(memo) <= 300),
  created_by bigint references user_account (id),
  created_at timestamptz not null default now(),
  unique (id, case_id),
  check ((kind in ('deposit', 'refund')) = (disbursement_id is null))
);
create index ledger_transaction_case_idx on ledger_transaction (case_id, id desc);
create index ledger_transaction_disbursement_idx on ledger_transaction (disbursement_id) where disbursement_id is not null;

create table ledger_posting (
  transaction_id bigint not null,
  case_id bigint not null,
  account text not null check (account in ('cash', 'funds', 'held')),
  amount_cents bigint not null check (amount_cents <> 0),
  primary key (transaction_id, account),
  foreign key (transaction_id, case_id) references ledger_transaction (id, case_id)
);
create index ledger_posting_balance_idx on ledger_posting (case_id, account) include (amount_cents);

-- Asked at the end of the transaction, when all postings are there.
create function check_ledger() returns trigger language plpgsql as $$
declare
  entry bigint := coalesce(to_jsonb(new) ->> 'transaction_id', to_jsonb(new) ->> 'id');
begin
  if (select coalesce(sum(amount_cents), 1) from ledger_posting where transaction_id = entry) <> 0 then
    raise exception 'the postings of transaction % do not sum to zero', entry using errcode = 'check_violation';
  end if;
  if exists (
    select from ledger_posting where case_id = new.case_id group by account
    having (account = 'cash' and sum(amount_cents) < 0) or (account <> 'cash' and sum(amount_cents) > 0)
  ) then
    raise exception 'an account of case % would be overdrawn', new.case_id using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger ledger_transaction_is_balanced after insert on ledger_transaction
  deferrable initially deferred for each row execute function check_ledger();
create constraint trigger ledger_posting_is_balanced after insert on ledger_posting
  deferrable initially deferred for each row execute function check_ledger();

create trigger ledger_transaction_is_append_only before update or delete on ledger_transaction
  for each row execute function refuse_change();
create trigger ledger_transaction_is_never_emptied before truncate on ledger_transaction
  for each statement execute function refuse_change();
create trigger ledger_posting_is_append_only before update or delete on ledger_posting
  for each row execute function refuse_change();
create trigger ledger_posting_is_never_emptied before truncate on ledger_posting
  for each statement execute function refuse_change();
