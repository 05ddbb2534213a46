-- An email address that staff or its owner asked for: it counts when the link sent to it was followed. The one before is kept,
-- because whoever reads it is told of each change of the account for 30 days more (decisions, section 11).
create table address_change (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  old_address text not null check (length(old_address) between 3 and 254),
  new_address text not null check (new_address = lower(new_address) and length(new_address) between 3 and 254),
  token_hash bytea not null unique check (length(token_hash) = 32),
  requested_by bigint not null references user_account (id) on delete cascade,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  -- The link was followed: from then on the new address counts.
  confirmed_at timestamptz,
  -- Another request came, or a new password: the link opens nothing any more.
  ended_at timestamptz,
  check (confirmed_at is null or ended_at is null)
);
create unique index address_change_waiting_idx on address_change (user_id) where confirmed_at is null and ended_at is null;
create index address_change_confirmed_idx on address_change (user_id, confirmed_at) where confirmed_at is not null;
create index address_change_requested_by_idx on address_change (requested_by);
