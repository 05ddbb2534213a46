-- Sign-ins of the web frontend that have ended. Their tokens stay valid for whoever else holds them; the sealed cookie, which
-- names its sign-in with every call, opens nothing any more, at any web process and after any restart.
create table ended_web_session (
  id_hash bytea primary key check (length(id_hash) = 32),
  user_id bigint not null references user_account (id) on delete cascade,
  ended_at timestamptz not null default now()
);
create index ended_web_session_by_time on ended_web_session (ended_at);
