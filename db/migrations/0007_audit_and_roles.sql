-- Who changed what; and what the permission catalogue's synchronisation has to remember.

-- One row a change, written in the change's own transaction. Append-only: see the triggers below, and db/grant.ts, which
-- leaves the applications' database role nothing but reading and adding.
create table audit_entry (
  id bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  -- None: the platform itself (the scheduler, a start-up synchronisation).
  actor_id bigint references user_account (id),
  actor_type text,
  layer text not null check (layer in ('api', 'admin', 'worker', 'system')),
  -- What happened, as subject and verb: role.update, disbursement.approve.
  action text not null check (action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$' and length(action) <= 64),
  -- To what: the subject's kind is the action's first word.
  subject_type text not null generated always as (split_part(action, '.', 1)) stored,
  subject_id bigint,
  -- What it is called, as it was then: it stays readable when the subject is renamed or gone.
  subject_label text not null default '' check (length(subject_label) <= 300),
  case_id bigint references case_file (id),
  -- The fields that changed, and nothing that is secret.
  before jsonb,
  after jsonb,
  ip_address inet,
  request_id text check (length(request_id) <= 64)
);
create index audit_entry_actor_idx on audit_entry (actor_id, id desc) where actor_id is not null;
create index audit_entry_subject_idx on audit_entry (subject_type, subject_id, id desc);
create index audit_entry_case_idx on audit_entry (case_id, id desc) where case_id is not null;
create index audit_entry_happened_idx on audit_entry (happened_at desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_entry_is_append_only before update or delete on audit_entry
  for each row execute function refuse_change();
create trigger audit_entry_is_never_emptied before truncate on audit_entry
  for each statement execute function refuse_change();

-- The newest catalogue that this database has seen: an older version of the platform that still runs removes nothing.
create table permission_catalogue (
  singleton boolean primary key default true check (singleton),
  version integer not null
);

-- Staff look people up by the beginning of a name or an address.
alter table user_account add column search tsvector generated always as (
  to_tsvector('simple', first_name || ' ' || last_name || ' ' || email_address || ' ' || translate(email_address, '@.+-_', '     '))
) stored;
create index user_account_search_idx on user_account using gin (search);
create index user_account_type_idx on user_account (user_type, id desc);
create index user_account_status_idx on user_account (status, id desc);

-- An invitation is a password set for the first time: longer-lived than a reset, otherwise the same.
alter table password_reset add column purpose text not null default 'reset' check (purpose in ('reset', 'invitation'));
