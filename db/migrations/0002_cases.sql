-- Cases and who is on them. `case` is a word of SQL, hence `case_file`.

create table case_file (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'intake'
    check (status in ('intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled')),
  agency_id bigint references agency (id),
  -- Owns the case's new chains, when there is one.
  escrow_specialist_id bigint references user_account (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index case_file_agency_idx on case_file (agency_id);
create index case_file_escrow_specialist_idx on case_file (escrow_specialist_id) where escrow_specialist_id is not null;
create index case_file_updated_idx on case_file (updated_at desc, id desc);

-- The people of a case who are not staff. One who leaves keeps the row, and loses access with left_at.
create table case_participant (
  case_id bigint not null references case_file (id) on delete cascade,
  user_id bigint not null references user_account (id),
  -- The order of the parents: the first is the designated approver unless the case names another.
  position smallint not null default 1,
  joined_at timestamptz not null default now(),
  left_at timestamptz,
  primary key (case_id, user_id)
);
create index case_participant_user_idx on case_participant (user_id, case_id) where left_at is null;

-- The admins who work on a case.
create table case_admin (
  case_id bigint not null references case_file (id) on delete cascade,
  user_id bigint not null references user_account (id),
  added_at timestamptz not null default now(),
  primary key (case_id, user_id)
);
create index case_admin_user_idx on case_admin (user_id, case_id);
