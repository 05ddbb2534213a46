-- All payments to a payee stop while someone's alarm about a request of a case is not cleared (BANK-10).
create table payment_stop (
  id bigint generated always as identity primary key,
  payee_id bigint not null references user_account (id),
  case_id bigint not null references case_file (id),
  -- The request that the alarm was about.
  disbursement_id bigint not null references disbursement_request (id),
  raised_by bigint not null references user_account (id),
  raised_at timestamptz not null,
  reason text not null check (length(reason) between 1 and 10000),
  -- Between the person who raised it and the escrow specialist; null if staff raised it.
  chain_id bigint references message_chain (id),
  cleared_by bigint references user_account (id),
  cleared_at timestamptz,
  clear_reason text check (length(clear_reason) between 1 and 2000),
  constraint cleared_says_why check ((cleared_at is null) = (cleared_by is null) and (cleared_at is null) = (clear_reason is null)),
  constraint payee_does_not_clear check (cleared_by <> payee_id)
);
create unique index payment_stop_live_idx on payment_stop (payee_id, case_id) where cleared_at is null;
