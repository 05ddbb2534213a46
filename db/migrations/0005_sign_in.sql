-- Two-factor challenges, password resets, throttles, and where people have signed in.

-- The last TOTP time step that was used: a step never works twice (RFC 6238, 5.2).
alter table user_account add column totp_last_step bigint;

-- A code that is awaited: after a password at one layer's login, or to turn two-factor on or off.
create table tfa_challenge (
  id uuid primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  -- A challenge of one purpose opens nothing of another.
  purpose text not null check (purpose in ('api_login', 'admin_login', 'change')),
  method text not null check (method in ('app', 'email', 'sms')),
  -- Keyed hash of the code that was sent; none for the app method, whose codes come from its seed.
  code_hash bytea check (length(code_hash) = 32),
  -- The seed that is not in use yet, encrypted with ENCRYPTION_KEY; only while the app method is being set up.
  new_secret bytea,
  attempts smallint not null default 0,
  sent_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index tfa_challenge_user_idx on tfa_challenge (user_id, purpose, created_at desc);
create index tfa_challenge_expires_idx on tfa_challenge (expires_at);

-- Ten for the app method; each works once.
create table backup_code (
  user_id bigint not null references user_account (id) on delete cascade,
  code_hash bytea not null check (length(code_hash) = 32),
  used_at timestamptz,
  primary key (user_id, code_hash)
);

create table password_reset (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_reset_user_idx on password_reset (user_id);
create index password_reset_expires_idx on password_reset (expires_at);

-- Failed tries that must survive a restart; the table is rate-limiter-flexible's.
create table throttle (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index throttle_expire_idx on throttle (expire);

-- Completed sign-ins, so that people can tell a stranger's from their own.
create table sign_in (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  layer text not null check (layer in ('api', 'admin')),
  ip_address inet,
  user_agent text not null default '' check (length(user_agent) <= 400),
  signed_in_at timestamptz not null
);
create index sign_in_user_idx on sign_in (user_id, id desc);

-- What agencies have told us; the same id from the same agency is processed once.
create table agency_event (
  agency_id bigint not null references agency (id),
  event_id text not null check (length(event_id) between 1 and 255),
  type text not null check (length(type) between 1 and 100),
  case_id bigint references case_file (id),
  data jsonb,
  received_at timestamptz not null default now(),
  primary key (agency_id, event_id)
);
create index agency_event_case_idx on agency_event (case_id) where case_id is not null;
