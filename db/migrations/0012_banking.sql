-- Payees' bank accounts, batches of payments to the bank, and what comes back from it.

-- One row an account; a change adds one and ends the one before it, which stays for the payments that went there.
create table payee_bank_account (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id),
  holder_name text not null check (length(holder_name) between 1 and 100),
  -- A person is paid by PPD, a company by CCD.
  holder_kind text not null check (holder_kind in ('person', 'company')),
  routing_number text not null check (routing_number ~ '^[0-9]{9}$'),
  -- AES-256-GCM, bound to its owner; four digits are kept to be shown.
  account_number bytea not null,
  last_four text not null check (last_four ~ '^[0-9A-Za-z-]{4}$'),
  account_kind text not null check (account_kind in ('checking', 'savings')),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  -- A first account at once, a changed one after 48 hours.
  usable_from timestamptz not null,
  replaced_at timestamptz,
  -- What the bank says is wrong with it: a return's or a change's code; for a change also what to use instead, encrypted.
  flag_code text check (flag_code ~ '^[RC][0-9]{2}$'),
  flagged_at timestamptz,
  correction bytea,
  check (usable_from >= created_at),
  check ((flag_code is null) = (flagged_at is null)),
  check (correction is null or flag_code like 'C%')
);
create unique index payee_bank_account_current_idx on payee_bank_account (user_id) where replaced_at is null;
create index payee_bank_account_user_idx on payee_bank_account (user_id, id desc);

-- The bank that files are sent to, and what it knows us by. One row, once staff have entered it.
create table bank_profile (
  singleton boolean primary key default true check (singleton),
  routing_number text not null check (routing_number ~ '^[0-9]{9}$'),
  bank_name text not null check (length(bank_name) between 1 and 23),
  immediate_origin text not null check (length(immediate_origin) between 1 and 10),
  company_name text not null check (length(company_name) between 1 and 16),
  company_id text not null check (length(company_id) between 1 and 10),
  entry_description text not null check (length(entry_description) between 1 and 10),
  same_day boolean not null default false,
  with_notes boolean not null default false,
  -- A balanced file debits the offset account; an unbalanced one leaves that to the bank.
  balanced boolean not null default false,
  offset_routing_number text check (offset_routing_number ~ '^[0-9]{9}$'),
  offset_account_number bytea,
  offset_last_four text,
  offset_account_kind text check (offset_account_kind in ('checking', 'savings')),
  -- The next entry's last seven digits of the trace number; begins again after 9,999,999.
  next_trace_sequence integer not null default 1 check (next_trace_sequence between 1 and 9999999),
  updated_by bigint not null references user_account (id),
  updated_at timestamptz not null default now(),
  check (not balanced or (offset_routing_number is not null and offset_account_number is not null
                          and offset_last_four is not null and offset_account_kind is not null))
);

-- draft -> approved -> generated -> outcome_unknown -> transmitted -> settled; draft, approved, generated -> cancelled.
-- outcome_unknown: the file was handed out, and nobody has yet said whether the bank has it. It never goes out again by
-- itself: a person says that the bank has taken it, or that it has not, which leads back to generated.
create table banking_batch (
  id bigint generated always as identity primary key,
  status text not null default 'draft' check (status in
    ('draft', 'approved', 'generated', 'outcome_unknown', 'transmitted', 'settled', 'cancelled')),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  approved_by bigint references user_account (id),
  handed_out_by bigint references user_account (id),
  same_day boolean not null default false,
  entry_count integer not null check (entry_count >= 0),
  total_cents bigint not null check (total_cents between 0 and 999999999999),
  -- From here on known when the file is made. It is kept encrypted, its SHA-256 is of the file itself.
  effective_date date,
  file bytea,
  file_sha256 bytea check (length(file_sha256) = 32),
  file_day date,
  file_id_modifier text check (file_id_modifier ~ '^[A-Z0-9]$'),
  constraint maker_never_approves check (approved_by <> created_by),
  constraint maker_never_pays check (handed_out_by <> created_by),
  check (status in ('draft', 'cancelled') or approved_by is not null),
  check (status not in ('outcome_unknown', 'transmitted', 'settled') or handed_out_by is not null),
  check (status not in ('generated', 'outcome_unknown', 'transmitted', 'settled') or file is not null),
  check ((file is null) = (file_sha256 is null) and (file is null) = (effective_date is null)
         and (file is null) = (file_day is null) and (file is null) = (file_id_modifier is null))
);
create index banking_batch_status_idx on banking_batch (status, id desc);
create unique index banking_batch_file_idx on banking_batch (file_day, file_id_modifier);

-- One request in one batch. `released_at`: it left the batch, or the batch was cancelled.
create table banking_batch_entry (
  id bigint generated always as identity primary key,
  batch_id bigint not null references banking_batch (id),
  disbursement_id bigint not null references disbursement_request (id),
  bank_account_id bigint not null references payee_bank_account (id),
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  trace_number text check (trace_number ~ '^[0-9]{15}$'),
  released_at timestamptz,
  returned_at timestamptz,
  return_code text check (return_code ~ '^R[0-9]{2}$'),
  check ((returned_at is null) = (return_code is null)),
  check (returned_at is null or released_at is null)
);
-- A request is in one live batch at most.
create unique index banking_batch_entry_live_idx on banking_batch_entry (disbursement_id) where released_at is null;
create index banking_batch_entry_batch_idx on banking_batch_entry (batch_id, id);
create index banking_batch_entry_trace_idx on banking_batch_entry (trace_number, id desc) where trace_number is not null;
create index banking_batch_entry_account_idx on banking_batch_entry (bank_account_id) where released_at is null;

-- The life of a batch, a row a step.
create table banking_batch_step (
  id bigint generated always as identity primary key,
  batch_id bigint not null references banking_batch (id),
  status text not null,
  user_id bigint not null references user_account (id),
  note text not null default '' check (length(note) <= 300),
  created_at timestamptz not null default now()
);
create index banking_batch_step_batch_idx on banking_batch_step (batch_id, id);
create trigger banking_batch_step_is_append_only before update or delete on banking_batch_step
  for each row execute function refuse_change();

-- Who has compared a file and stands for it. Two different people, before it goes out.
create table batch_signature (
  batch_id bigint not null references banking_batch (id),
  user_id bigint not null references user_account (id),
  file_sha256 bytea not null check (length(file_sha256) = 32),
  signed_at timestamptz not null default now(),
  primary key (batch_id, user_id)
);
create trigger batch_signature_is_append_only before update or delete on batch_signature
  for each row execute function refuse_change();

-- What came back. The same file is read once.
create table bank_return_file (
  id bigint generated always as identity primary key,
  file_sha256 bytea not null unique check (length(file_sha256) = 32),
  filename text not null check (length(filename) between 1 and 255),
  uploaded_by bigint not null references user_account (id),
  uploaded_at timestamptz not null default now()
);

create table bank_return_entry (
  file_id bigint not null references bank_return_file (id),
  line integer not null,
  code text not null check (code ~ '^[RC][0-9]{2}$'),
  original_trace text not null check (original_trace ~ '^[0-9]{15}$'),
  amount_cents bigint not null check (amount_cents >= 0),
  -- None: nothing of ours has this trace number and amount.
  batch_entry_id bigint references banking_batch_entry (id),
  outcome text not null check (outcome in ('returned', 'corrected', 'already_returned', 'not_ours')),
  primary key (file_id, line),
  check ((batch_entry_id is null) = (outcome = 'not_ours'))
);
create index bank_return_entry_entry_idx on bank_return_entry (batch_entry_id) where batch_entry_id is not null;

-- The calendars of all cases on one page.
create index scheduled_payment_due_idx on scheduled_payment (status, due_date, id);
