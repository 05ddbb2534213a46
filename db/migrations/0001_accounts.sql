-- People, agencies, roles and sessions.

-- A person in one role. The pair (email_address, user_type) identifies it: the same address may stand on several records.
create table user_account (
  id bigint generated always as identity primary key,
  email_address text not null check (email_address = lower(email_address) and length(email_address) between 3 and 254),
  user_type text not null check (user_type in ('admin', 'surrogate', 'cm', 'owner', 'ip', 'ip_rep')),
  password_hash text,
  status text not null default 'active' check (status in ('invited', 'active', 'deactivated')),
  first_name text not null default '' check (length(first_name) <= 100),
  last_name text not null default '' check (length(last_name) <= 100),
  phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  timezone text not null default 'UTC' check (length(timezone) <= 64),
  agency_id bigint,
  admin_role_id bigint,
  two_factor_method text check (two_factor_method in ('app', 'email', 'sms')),
  -- The TOTP seed, encrypted with ENCRYPTION_KEY; only for the app method.
  two_factor_secret bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (email_address, user_type),
  check ((user_type = 'admin') or admin_role_id is null),
  check (two_factor_method is distinct from 'app' or two_factor_secret is not null),
  check (two_factor_method is distinct from 'sms' or phone is not null)
);
create index user_account_agency_idx on user_account (agency_id) where agency_id is not null;
create index user_account_role_idx on user_account (admin_role_id) where admin_role_id is not null;

create table agency (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null default now()
);
alter table user_account add foreign key (agency_id) references agency (id);

-- Keys are 256 random bits: an indexed SHA-256 is the right hash, a slow one would only stall the server.
create table agency_api_key (
  id bigint generated always as identity primary key,
  agency_id bigint not null references agency (id),
  key_hash bytea not null unique check (length(key_hash) = 32),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index agency_api_key_agency_idx on agency_api_key (agency_id);

create table admin_permission (
  value text primary key check (value ~ '^[a-z][a-z0-9_]*$'),
  category text not null,
  name text not null
);

create table admin_role (
  id bigint generated always as identity primary key,
  name text not null unique check (length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table user_account add foreign key (admin_role_id) references admin_role (id);

create table admin_role_permission (
  admin_role_id bigint not null references admin_role (id) on delete cascade,
  permission text not null references admin_permission (value) on delete cascade,
  primary key (admin_role_id, permission)
);
create index admin_role_permission_permission_idx on admin_role_permission (permission);

-- Sessions of the server-rendered application. Only the hash of the cookie's value is kept.
create table admin_session (
  id_hash bytea primary key check (length(id_hash) = 32),
  user_id bigint not null references user_account (id) on delete cascade,
  user_type text not null,
  csrf_token text not null,
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now()
);
create index admin_session_user_idx on admin_session (user_id);
create index admin_session_last_active_idx on admin_session (last_active_at);

-- One answer a key: a retried request gets the first one's answer instead of happening twice. Kept 24 hours.
create table idempotency_key (
  user_id bigint not null references user_account (id) on delete cascade,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null check (length(request_hash) = 32),
  response_body jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_key_created_idx on idempotency_key (created_at);
