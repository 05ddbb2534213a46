-- Who was told, and in which month, that a case will run short: once a month (decisions, section 14), whoever notices it first.
create table funds_short_notice (
  case_id bigint not null references case_file (id),
  -- Its first day.
  month date not null check (extract(day from month) = 1),
  short_in date not null,
  missing_cents bigint not null check (missing_cents > 0),
  created_at timestamptz not null default now(),
  primary key (case_id, month)
);

-- What an escrow company states about the money of a case. Its code is known to whoever has the paper; here lies its hash.
create table proof_of_funds (
  id bigint generated always as identity primary key,
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  case_id bigint not null references case_file (id),
  amount_cents bigint not null check (amount_cents >= 0),
  made_by bigint not null references user_account (id),
  made_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > made_at)
);
create index proof_of_funds_case_idx on proof_of_funds (case_id, made_at);
create index proof_of_funds_maker_idx on proof_of_funds (made_by, made_at);
