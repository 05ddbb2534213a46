-- Proofs of funds that were issued to someone, so that they can be listed and withdrawn (PROOF-4). Their codes contain the id.
create table proof_of_funds (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  amount_cents bigint not null check (amount_cents > 0),
  made_at timestamptz not null,
  addressee text not null check (length(addressee) between 1 and 200),
  issued_by bigint not null references user_account (id),
  withdrawn_at timestamptz,
  withdrawn_by bigint references user_account (id),
  check ((withdrawn_at is null) = (withdrawn_by is null))
);

create index proof_of_funds_case_idx on proof_of_funds (case_id, id desc);
create index proof_of_funds_issued_by_idx on proof_of_funds (issued_by);
create index proof_of_funds_withdrawn_by_idx on proof_of_funds (withdrawn_by);
