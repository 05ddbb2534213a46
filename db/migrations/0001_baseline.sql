-- The schema of the first version. Later changes are migrations of their own.
--
-- Sections: shared functions; agencies, roles, and people; sign-in; cases; conversations; files; requests for money; bank
-- accounts and batches; cash and the ledger; two-person rules; notifications; the audit log; limits and retries.
--
-- Text columns carry checks because several processes write them. Rules that protect money are triggers as well as code: they
-- hold for every process and every operator's tool.

-- -----------------------------------------------------------------------------------------------------------------------------
-- Shared functions
-- -----------------------------------------------------------------------------------------------------------------------------

-- For append-only tables. While `npm run erase-person` runs, an update may change the columns that the trigger names, because
-- names and addresses are replaced by a pseudonym then. The applications' database roles may not update these tables at all
-- (db/grant.ts).
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_nargs > 0 and current_setting('platform.erasing', true) = 'yes' then
    if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

-- Parses what people type into a search box: words, "a phrase", -without, this or that. The last word may be incomplete.
create function search_words(words text) returns tsquery language sql immutable parallel safe
  return case when websearch_to_tsquery('simple'::regconfig, words)::text like '%'''
    then (websearch_to_tsquery('simple'::regconfig, words)::text || ':*')::tsquery
    else websearch_to_tsquery('simple'::regconfig, words) end;

-- The transaction that writes a row, and a random mark, for generated columns. Backups leave generated columns out, so restored
-- rows get the numbers of the database that they are restored into. PostgreSQL accepts only immutable functions in generated
-- columns. These are not immutable, but they are computed once, when the row is written, and updates keep the value.
create function own_transaction() returns xid8 language sql immutable as 'select pg_catalog.pg_current_xact_id()';
create function own_mark() returns uuid language sql immutable as 'select pg_catalog.gen_random_uuid()';

-- Distinguishes this database from every other one that was restored from the same backup.
create table database_copy (
  only_one boolean primary key default true check (only_one),
  mark uuid not null generated always as (own_mark()) stored
);
insert into database_copy default values;

-- The mark of this database and of its history. A file copy that was reset to an earlier moment, and a promoted standby that
-- missed transactions, reuse transaction numbers; their write-ahead log has another timeline. Some hosted servers do not let us
-- read the log position, and then only the mark distinguishes databases.
create function database_mark() returns text language plpgsql stable as $$
declare
  history text := '';
begin
  begin
    if not pg_catalog.pg_is_in_recovery() then
      history := pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8);
    end if;
  exception when others then
    history := '';
  end;
  return (select pg_catalog.left(pg_catalog.md5(mark::text || history), 8) from public.database_copy);
end
$$;

-- The place from which a client that was disconnected misses nothing: every transaction before it has ended.
create function current_place() returns text language sql stable as
  $$ select public.database_mark() || '-' || pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) $$;

-- Notifies live updates of a change in a case. A page states the snapshot that it was rendered from; it has missed the change if
-- the transaction is not in that snapshot.
create function announce_case(case_id bigint, user_id bigint) returns void language sql as $$
  select pg_catalog.pg_notify('chain_event', pg_catalog.jsonb_build_object(
    'kind', 'case', 'case_id', case_id, 'user_id', user_id, 'since', public.current_place(),
    'transaction', pg_catalog.pg_current_xact_id()::text)::text)
$$;

-- -----------------------------------------------------------------------------------------------------------------------------
-- Agencies, roles, and people
-- -----------------------------------------------------------------------------------------------------------------------------

create table agency (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null default now()
);
create index agency_name_idx on agency (lower(name), id);

-- Keys are 256 random bits, so an indexed SHA-256 is safe, and a slow hash would only burden the server.
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

-- The newest permission catalogue that this database has seen: an older version that is still running removes nothing from it.
create table permission_catalogue (
  singleton boolean primary key default true check (singleton),
  version integer not null
);

create table admin_role (
  id bigint generated always as identity primary key,
  name text not null unique check (length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- Role names that differ only in capitals would be confused.
create unique index admin_role_name_idx on admin_role (lower(name));

create table admin_role_permission (
  admin_role_id bigint not null references admin_role (id) on delete cascade,
  permission text not null references admin_permission (value) on delete cascade,
  primary key (admin_role_id, permission)
);
create index admin_role_permission_permission_idx on admin_role_permission (permission);

-- A person in one role. The same email address may be on several records, one for each user_type.
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
  agency_id bigint references agency (id),
  admin_role_id bigint references admin_role (id),
  two_factor_method text check (two_factor_method in ('app', 'email', 'sms')),
  -- The TOTP seed, encrypted with ENCRYPTION_KEY; only for the app method.
  two_factor_secret bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The last TOTP time step that was used: a step never works twice (RFC 6238, 5.2).
  totp_last_step bigint,
  -- Staff look people up by the beginning of a name or an address.
  search tsvector generated always as (
    to_tsvector('simple',
      first_name || ' ' || last_name || ' ' || email_address || ' ' || translate(email_address, '@.+-_', '     '))
  ) stored,
  -- The last number that its owner proved with a code. It stays when the number changes or two-factor sign-in is turned off.
  confirmed_phone text check (confirmed_phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- Whether the password is long enough without two-factor sign-in, which cannot be turned off over a shorter one. Null until a
  -- password is set.
  password_stands_alone boolean,
  -- When `npm run erase-person` replaced the personal data. An erased record is never used again.
  erased_at timestamptz,
  -- Every number that its owner has ever proved.
  proved_phones text[] not null default '{}',
  -- The same for all records of one person, and never separated once they were joined.
  person_id bigint generated by default as identity,
  -- When the two-factor method was turned on. Its codes prove nothing for older sign-ins, which did not ask for one.
  two_factor_since timestamptz,
  unique (email_address, user_type),
  check ((user_type = 'admin') or admin_role_id is null),
  check (two_factor_method is distinct from 'app' or two_factor_secret is not null),
  check (two_factor_method is distinct from 'sms' or phone is not null),
  check (erased_at is null or status = 'deactivated')
);
create index user_account_agency_idx on user_account (agency_id) where agency_id is not null;
create index user_account_role_idx on user_account (admin_role_id) where admin_role_id is not null;
create index user_account_type_idx on user_account (user_type, id desc);
create index user_account_status_idx on user_account (status, id desc);
create index user_account_person_idx on user_account (person_id);
create index user_account_proved_phones_idx on user_account using gin (proved_phones) with (fastupdate = off)
  where proved_phones <> '{}';
-- With fastupdate, new words wait in a list of up to 4 MB that every search reads from end to end: 5,000 new messages made
-- each search 80 ms slower. The other search indexes are the same.
create index user_account_search_idx on user_account using gin (search) with (fastupdate = off);

create function keep_confirmed_phone() returns trigger language plpgsql as $$
begin
  if new.two_factor_method = 'sms' then
    new.confirmed_phone := new.phone;
  end if;
  if new.confirmed_phone is not null and new.confirmed_phone <> all (new.proved_phones) then
    new.proved_phones := new.proved_phones || new.confirmed_phone;
  end if;
  return new;
end
$$;
create trigger user_account_keeps_confirmed_phone before insert or update on user_account
  for each row execute function keep_confirmed_phone();

create function keep_two_factor_since() returns trigger language plpgsql as $$
begin
  if new.two_factor_method is null then
    new.two_factor_since := null;
  elsif new.two_factor_method is distinct from old.two_factor_method
    and new.two_factor_since is not distinct from old.two_factor_since then
    new.two_factor_since := now();
  end if;
  return new;
end
$$;
create trigger user_account_keeps_two_factor_since before update of two_factor_method on user_account
  for each row execute function keep_two_factor_since();

-- Records that share an email address or a proved number belong to one person, directly or through a third record.
-- Sequential scans are off because many people may be added in one session, whose plans were made for an empty table.
create function keep_one_person() returns trigger language plpgsql
  security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  persons bigint[];
begin
  -- One transaction at a time: two that come to share an address at the same moment would not see each other.
  perform pg_advisory_xact_lock(7214010032);
  -- Someone who has never signed in has done nothing yet, and their address may have been a mistake.
  if tg_op = 'UPDATE' and old.status = 'invited' then
    update user_account set person_id = default where id = new.id;
  end if;
  select array_agg(distinct one.person_id order by one.person_id) into persons
    from (select u.person_id from user_account u where u.email_address = new.email_address
          union all
          select u.person_id from user_account u
           where u.proved_phones <> '{}' and u.proved_phones && new.proved_phones) one;
  if cardinality(persons) > 1 then
    update user_account set person_id = persons[1] where person_id = any (persons[2:]);
  end if;
  return null;
end
$$;
create trigger user_account_is_a_new_person after insert on user_account
  for each row execute function keep_one_person();
create trigger user_account_stays_one_person after update on user_account
  for each row when (new.email_address <> old.email_address or new.proved_phones <> old.proved_phones)
  execute function keep_one_person();

-- All records of the person that a record belongs to. Every two-person rule uses this, in triggers and in code.
create function person_records(record bigint) returns bigint[] language sql stable
  return (select array_agg(o.id order by o.id) from user_account u join user_account o on o.person_id = u.person_id
           where u.id = record);

create function is_person_among(record bigint, others bigint[]) returns boolean language sql stable
  return coalesce(person_records(record) && others, false);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Sign-in
-- -----------------------------------------------------------------------------------------------------------------------------

-- Sessions of the staff application. Only the hash of the cookie's value is kept.
create table admin_session (
  id_hash bytea primary key check (length(id_hash) = 32),
  user_id bigint not null references user_account (id) on delete cascade,
  user_type text not null,
  csrf_token text not null,
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  -- When the person last proved their identity: changing what protects the account requires recent proof.
  confirmed_at timestamptz not null
);
create index admin_session_user_idx on admin_session (user_id);
create index admin_session_last_active_idx on admin_session (last_active_at);

-- Ended sessions of the web frontend. Their tokens stay valid, but a sealed cookie that names an ended session is rejected by
-- every web process and after every restart.
create table ended_web_session (
  id_hash bytea primary key check (length(id_hash) = 32),
  user_id bigint not null references user_account (id) on delete cascade,
  ended_at timestamptz not null default now()
);
create index ended_web_session_by_time on ended_web_session (ended_at);

-- A code that a person has to enter: after a password, or to turn two-factor sign-in on or off.
create table tfa_challenge (
  id uuid primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  -- A challenge for one purpose is rejected for every other.
  purpose text not null check (purpose in ('api_login', 'admin_login', 'change')),
  method text not null check (method in ('app', 'email', 'sms')),
  -- Keyed hash of the code that was sent; null for the app method, whose codes come from its seed.
  code_hash bytea check (length(code_hash) = 32),
  -- The seed that is being set up, encrypted with ENCRYPTION_KEY; only for the app method.
  new_secret bytea,
  attempts smallint not null default 0,
  sent_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Where the code was sent: two-factor sign-in is turned on for that number or address.
  sent_to text
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
  used_at timestamptz,
  -- An invitation sets the first password. It lives longer than a reset and is otherwise the same.
  purpose text not null default 'reset' check (purpose in ('reset', 'invitation')),
  -- Where the link was followed from: its reader has the mailbox, and may sign in from there.
  used_from inet
);
create index password_reset_user_idx on password_reset (user_id);
create index password_reset_expires_idx on password_reset (expires_at);

-- A new email address counts once the link sent to it is followed. The old one is kept because it is notified of every change to
-- the account for 30 more days.
create table address_change (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  old_address text not null check (length(old_address) between 3 and 254),
  new_address text not null check (new_address = lower(new_address) and length(new_address) between 3 and 254),
  token_hash bytea not null unique check (length(token_hash) = 32),
  requested_by bigint not null references user_account (id) on delete cascade,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  -- The link was followed: the new address counts from then on.
  confirmed_at timestamptz,
  -- A later request or a new password made the link invalid.
  ended_at timestamptz,
  check (confirmed_at is null or ended_at is null)
);
create unique index address_change_waiting_idx on address_change (user_id) where confirmed_at is null and ended_at is null;
create index address_change_confirmed_idx on address_change (user_id, confirmed_at) where confirmed_at is not null;
create index address_change_requested_by_idx on address_change (requested_by);
create index address_change_age_idx on address_change (expires_at);

-- Completed sign-ins, so that people can recognize a stranger's.
create table sign_in (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  layer text not null check (layer in ('api', 'admin')),
  ip_address inet,
  user_agent text not null default '' check (length(user_agent) <= 400),
  signed_in_at timestamptz not null
);
create index sign_in_user_idx on sign_in (user_id, id desc);
create index sign_in_age_idx on sign_in (signed_in_at, id);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Cases
-- -----------------------------------------------------------------------------------------------------------------------------

-- `case` is a word of SQL, hence the name.
create table case_file (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'intake'
    check (status in ('intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled')),
  agency_id bigint references agency (id),
  -- Owns the case's new conversations, when there is one.
  escrow_specialist_id bigint references user_account (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Approves the case's requests; null: its first parent does.
  approver_id bigint references user_account (id),
  -- When the case should be closed, and the due date of the last reminder to its escrow specialist.
  close_due_on date,
  close_reminded_for date,
  -- Words only: the parser would read 'A-1' or 'x.org' as a number or a host.
  search tsvector generated always as (
    to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g'))
  ) stored
);
create index case_file_agency_idx on case_file (agency_id);
create index case_file_escrow_specialist_idx on case_file (escrow_specialist_id) where escrow_specialist_id is not null;
create index case_file_approver_idx on case_file (approver_id) where approver_id is not null;
create index case_file_close_due_idx on case_file (close_due_on)
  where close_due_on is not null and status not in ('closed', 'cancelled');
create index case_file_search_idx on case_file using gin (search) with (fastupdate = off);
-- Each order of the list of cases, for all states and within one.
create index case_file_updated_idx on case_file (updated_at desc, id desc);
create index case_file_name_idx on case_file (name, id);
create index case_file_created_idx on case_file (created_at, id);
create index case_file_status_updated_idx on case_file (status, updated_at, id);
create index case_file_status_name_idx on case_file (status, name, id);
create index case_file_status_created_idx on case_file (status, created_at, id);

-- The people of a case who are not staff. Someone who leaves keeps the row, with left_at set, and loses access.
create table case_participant (
  case_id bigint not null references case_file (id) on delete cascade,
  user_id bigint not null references user_account (id),
  -- The order of the parents: the first approves unless the case names someone else.
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

create table case_milestone (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('matched', 'contract_signed', 'medical_clearance', 'embryo_transfer',
    'pregnancy_confirmed', 'heartbeat_confirmed', 'birth', 'other')),
  happened_on date not null,
  note text not null default '' check (length(note) <= 2000),
  -- What the parents have to pay in because of this milestone.
  funding_required_cents bigint check (funding_required_cents between 1 and 9999999999),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  check (kind = 'pregnancy_confirmed' or funding_required_cents is null)
);
create index case_milestone_case_idx on case_milestone (case_id, happened_on desc, id desc);
-- A second click adds nothing and sends no second mail.
create unique index case_milestone_once_idx on case_milestone (case_id, kind, happened_on) where kind <> 'other';

-- -----------------------------------------------------------------------------------------------------------------------------
-- Conversations (chains)
-- -----------------------------------------------------------------------------------------------------------------------------

create table message_chain (
  id bigint generated by default as identity primary key,
  subject text not null default '' check (length(subject) <= 200),
  case_id bigint references case_file (id),
  status text not null default 'open' check (status in ('open', 'closed')),
  -- The admin who owns the chain; null: it waits in the queue of those who may reassign.
  assigned_admin_id bigint references user_account (id),
  -- True: its people are in message_chain_group, and its messages have no single recipient.
  is_group boolean not null default false,
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  last_message_id bigint not null,
  last_message_at timestamptz not null default now(),
  -- 'simple': names and amounts in any language, without stemming.
  search tsvector generated always as (to_tsvector('simple', subject)) stored
);
create index message_chain_search_idx on message_chain using gin (search) with (fastupdate = off);
create index message_chain_case_idx on message_chain (case_id, last_message_id desc) where case_id is not null;
create index message_chain_assigned_idx on message_chain (assigned_admin_id, last_message_id desc);
create index message_chain_recent_idx on message_chain (last_message_id desc);
-- An admin sees the chains that they started.
create index message_chain_created_by_idx on message_chain (created_by, last_message_id desc);
-- Chains that belong to the admin who started them are reassigned when that admin no longer sees the case.
create index message_chain_started_idx on message_chain (assigned_admin_id)
  where assigned_admin_id = created_by and case_id is not null;

-- Everyone in a chain who is not staff: creator and recipients, or the group. Access is a row here with left_at null.
-- last_message_id repeats the chain's, so that a person's list of chains is one walk along one index.
create table message_chain_group (
  chain_id bigint not null references message_chain (id) on delete cascade,
  user_id bigint not null references user_account (id),
  last_message_id bigint not null,
  joined_at timestamptz not null default now(),
  left_at timestamptz,
  primary key (chain_id, user_id)
);
create index message_chain_group_user_idx on message_chain_group (user_id, last_message_id desc) where left_at is null;

create table message (
  id bigint generated by default as identity primary key,
  chain_id bigint not null references message_chain (id) on delete cascade,
  from_id bigint not null references user_account (id),
  from_type text not null,
  -- The one recipient; null for a group, and for a message to staff only.
  to_id bigint references user_account (id),
  to_type text,
  -- True: the message is in the assigned admin's inbox, also when to_id is null.
  to_admin boolean not null,
  message text not null,
  -- When an admin first viewed a message that is in the admins' inbox.
  admin_viewed timestamptz,
  created_at timestamptz not null default now(),
  search tsvector generated always as (to_tsvector('simple', message)) stored,
  -- A retracted message stays as a tombstone that says who and when. Its text and files are gone.
  retracted_at timestamptz,
  -- A client that was disconnected asks for what was written since. Ids are assigned before the commit and would leave gaps;
  -- transactions below the oldest running one have all ended.
  written_in xid8 not null generated always as (own_transaction()) stored,
  -- Chosen by the sender's client and kept with the message for good: a retry never sends a message twice.
  client_key text check (length(client_key) between 1 and 255),
  constraint message_message_check check (length(message) <= 10000 and (length(message) >= 1 or retracted_at is not null)),
  check ((to_id is null) = (to_type is null)),
  check (to_admin or admin_viewed is null)
);
create index message_chain_idx on message (chain_id, id desc);
create index message_admin_unread_idx on message (chain_id) where to_admin and admin_viewed is null;
create index message_search_idx on message using gin (search) with (fastupdate = off);
create index message_to_idx on message (to_id) where to_id is not null;
create index message_from_idx on message (from_id, id desc);
create index message_written_in_idx on message (written_in);
create unique index message_client_key_idx on message (from_id, client_key) where client_key is not null;
-- The timeline of a case reads only the newest messages of a conversation that goes on for years.
create index message_story_idx on message (chain_id, created_at desc, id desc) where retracted_at is null;

-- One row for each recipient who is not an admin, in groups too. Unread counts are derived from these rows.
create table message_recipient (
  message_id bigint not null references message (id) on delete cascade,
  user_id bigint not null references user_account (id),
  chain_id bigint not null references message_chain (id) on delete cascade,
  viewed timestamptz,
  primary key (message_id, user_id)
);
create index message_recipient_unread_idx on message_recipient (user_id, chain_id, message_id) where viewed is null;

-- Attachments, in object storage under messages/{chain_id}/{message_id}/{uuid}.{ext}. Their addresses are signed when they are
-- read.
create table message_file (
  id bigint generated always as identity primary key,
  message_id bigint not null references message (id) on delete cascade,
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size >= 0),
  storage_key text not null unique
);
create index message_file_message_idx on message_file (message_id);

-- Notes among admins have their own table, so nothing that other people request ever reads them.
create table chain_note (
  id bigint generated always as identity primary key,
  chain_id bigint not null references message_chain (id) on delete cascade,
  author_id bigint not null references user_account (id),
  note text not null check (length(note) between 1 and 10000),
  created_at timestamptz not null default now()
);
create index chain_note_chain_idx on chain_note (chain_id, id desc);
create index chain_note_author_idx on chain_note (author_id);

-- When a person was last mailed about a chain, and up to which message: messages of the next ten minutes are gathered.
create table message_mail (
  chain_id bigint not null references message_chain (id) on delete cascade,
  user_id bigint not null references user_account (id) on delete cascade,
  mailed_at timestamptz not null,
  up_to_message_id bigint not null,
  primary key (chain_id, user_id)
);
create index message_mail_user_idx on message_mail (user_id);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Files
-- -----------------------------------------------------------------------------------------------------------------------------

-- An upload that was described and not confirmed yet. Bound to one person and one purpose.
create table pending_upload (
  -- The last part of the temporary key.
  id uuid primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  purpose text not null check (purpose ~ '^[a-z][a-z_]{0,39}$'),
  -- What the file will belong to: a person, a case, or a request, depending on the purpose.
  subject_id bigint not null,
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null check (length(content_type) <= 127),
  -- Exact, if it was announced.
  size bigint check (size > 0),
  created_at timestamptz not null,
  -- While it is being confirmed; the claim ends after a few minutes.
  claimed_at timestamptz
);
create index pending_upload_user_idx on pending_upload (user_id, created_at);
create index pending_upload_created_idx on pending_upload (created_at);

-- Uploaded pictures. Until the worker has removed the metadata about their maker and place, only the uploader sees them.
create table stored_picture (
  storage_key text primary key,
  state text not null default 'waiting' check (state in ('waiting', 'clean', 'failed')),
  -- In bytes, once it is clean.
  size bigint check (size > 0),
  created_at timestamptz not null default now(),
  -- Why it could not be processed, and how often processing began without finishing: a picture that crashes the worker must
  -- not be tried again and again.
  failure text check (failure in ('damaged', 'too_large', 'too_slow', 'unfinished')),
  attempts smallint not null default 0 check (attempts >= 0)
);

-- Smaller, square versions of a picture.
create table picture_rendition (
  storage_key text primary key,
  picture_key text not null references stored_picture (storage_key) on delete cascade,
  width smallint not null check (width between 16 and 2048),
  unique (picture_key, width)
);

-- A person's own files: one profile picture and one photo ID.
create table user_file (
  user_id bigint not null references user_account (id) on delete cascade,
  purpose text not null check (purpose in ('profile_picture', 'photo_id')),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size > 0),
  storage_key text not null unique,
  created_at timestamptz not null default now(),
  primary key (user_id, purpose)
);

create table case_document (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size > 0),
  storage_key text not null unique,
  uploaded_by bigint not null references user_account (id),
  created_at timestamptz not null default now()
);
create index case_document_case_idx on case_document (case_id, id desc);
create index case_document_uploaded_by_idx on case_document (uploaded_by);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Requests for money
-- -----------------------------------------------------------------------------------------------------------------------------

-- One line of a case's payment calendar. The request that pays it refers to it.
create table scheduled_payment (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  category text not null check (length(category) between 1 and 100),
  description text not null default '' check (length(description) <= 2000),
  payee_id bigint references user_account (id),
  due_date date not null,
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  status text not null default 'planned' check (status in ('planned', 'paid', 'cancelled')),
  paid_at timestamptz,
  created_at timestamptz not null default now(),
  -- Whether the line's case has ended, so that the list of waiting payments skips the lines that were never cancelled. The case's
  -- own state is what counts, and every list checks it too.
  case_ended boolean not null default false,
  unique (id, case_id),
  check ((status = 'paid') = (paid_at is not null))
);
create index scheduled_payment_case_idx on scheduled_payment (case_id, due_date, id);
create index scheduled_payment_category_idx on scheduled_payment (case_id, category, status);
-- The calendars of all cases on one page.
create index scheduled_payment_due_idx on scheduled_payment (status, due_date, id);
create index scheduled_payment_waiting_idx on scheduled_payment (due_date, id) where status = 'planned' and not case_ended;

-- Runs with the owner's rights: a process that may change a case need not be allowed to change its calendar.
create function mark_calendar() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare ended boolean := new.status in ('closed', 'cancelled');
begin
  update scheduled_payment set case_ended = ended where case_id = new.id and case_ended <> ended;
  return null;
end
$$;
create trigger case_file_marks_its_calendar after update of status on case_file for each row
  when ((old.status in ('closed', 'cancelled')) <> (new.status in ('closed', 'cancelled'))) execute function mark_calendar();

-- What a case's contract allows for a category, over the case or in each month. The amounts used and reserved are not stored:
-- they are summed from the requests.
create table case_benefit (
  case_id bigint not null references case_file (id),
  category text not null check (length(category) between 1 and 100),
  period text not null check (period in ('case', 'month')),
  cap_cents bigint not null check (cap_cents between 1 and 9999999999),
  note text not null default '' check (length(note) <= 2000)
);
-- One limit for each category, whatever its capitals: "travel" counts against "Travel".
create unique index case_benefit_category_idx on case_benefit (case_id, lower(category));

-- Disbursement requests. draft -> submitted -> approved | denied; approved -> batched -> paid -> returned; draft, submitted ->
-- cancelled.
create table disbursement_request (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  status text not null default 'draft'
    check (status in ('draft', 'submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled')),
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  category text not null check (length(category) between 1 and 100),
  description text not null check (length(description) between 1 and 2000),
  payee_id bigint not null references user_account (id),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When it reached its present status.
  status_since timestamptz not null default now(),
  submitted_by bigint references user_account (id),
  submitted_at timestamptz,
  -- The person who should decide, and afterwards the person who did; null: staff who may approve.
  approver_id bigint references user_account (id),
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 2000),
  -- The day that its batch names; before there is a batch, the day is calculated.
  bank_date date,
  paid_at timestamptz,
  returned_at timestamptz,
  return_code text check (return_code ~ '^R[0-9]{2}$'),
  -- The conversation about it.
  chain_id bigint references message_chain (id),
  scheduled_payment_id bigint,
  -- Everyone who has changed the amount or the payee: they share in making the request and do not decide about it.
  revised_by bigint[] not null default '{}',
  foreign key (scheduled_payment_id, case_id) references scheduled_payment (id, case_id),
  constraint maker_is_never_checker check (approver_id <> created_by and approver_id <> submitted_by),
  constraint reviser_is_never_checker check (approver_id <> all (revised_by)),
  check (status in ('draft', 'cancelled') or (submitted_at is not null and submitted_by is not null)),
  check (status not in ('approved', 'denied', 'batched', 'paid', 'returned')
         or (decided_at is not null and approver_id is not null)),
  check (status <> 'denied' or decision_reason is not null),
  -- A payment that comes back before its batch is settled was never paid, so a returned request need not have paid_at.
  constraint paid_says_when check (status <> 'paid' or paid_at is not null),
  constraint disbursement_request_check4 check (status <> 'returned' or (returned_at is not null and return_code is not null))
);
create index disbursement_request_case_idx on disbursement_request (case_id, id desc);
create index disbursement_request_case_status_idx on disbursement_request (case_id, status, id desc);
create index disbursement_request_status_idx on disbursement_request (status, id desc);
create index disbursement_request_approver_idx on disbursement_request (approver_id, id desc) where status = 'submitted';
create index disbursement_request_payee_idx on disbursement_request (payee_id, status);
create index disbursement_request_maker_idx on disbursement_request (created_by, status, id desc);
create index disbursement_request_chain_idx on disbursement_request (chain_id) where chain_id is not null;
-- At most one request pays a scheduled payment. A draft does not claim it: its maker could block everyone else.
create unique index disbursement_request_scheduled_payment_idx on disbursement_request (scheduled_payment_id)
  where status not in ('draft', 'denied', 'cancelled', 'returned');
create index disbursement_request_benefit_idx on disbursement_request (case_id, lower(category), submitted_at)
  include (amount_cents, status) where status in ('submitted', 'approved', 'batched', 'paid');

-- One announcement for each case and statement, sent at commit. A draft is announced only to its writer.
create function announce_requests() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id, case when n.submitted_at is null then n.created_by end as user_id from changed n) told;
  else
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id,
                    case when n.submitted_at is null and o.submitted_at is null then n.created_by end as user_id
               from changed n join before o on o.id = n.id) told;
  end if;
  return null;
end
$$;
create trigger disbursement_request_is_announced after insert on disbursement_request
  referencing new table as changed for each statement execute function announce_requests();
create trigger disbursement_request_change_is_announced after update on disbursement_request
  referencing old table as before new table as changed for each statement execute function announce_requests();

-- Receipts, in object storage. Their addresses are signed when they are read.
create table disbursement_file (
  id bigint generated always as identity primary key,
  disbursement_id bigint not null references disbursement_request (id),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size >= 0),
  storage_key text not null unique,
  uploaded_by bigint not null references user_account (id),
  created_at timestamptz not null default now()
);
create index disbursement_file_disbursement_idx on disbursement_file (disbursement_id, id);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Bank accounts and batches
-- -----------------------------------------------------------------------------------------------------------------------------

-- One row for each account. A change adds a row and ends the previous one, which stays for the payments that went there.
create table payee_bank_account (
  id bigint generated always as identity primary key,
  user_id bigint not null references user_account (id),
  holder_name text not null check (length(holder_name) between 1 and 100),
  -- A person is paid by PPD, a company by CCD.
  holder_kind text not null check (holder_kind in ('person', 'company')),
  routing_number text not null check (routing_number ~ '^[0-9]{9}$'),
  -- AES-256-GCM, bound to its owner; the last four digits are kept for display.
  account_number bytea not null,
  last_four text not null check (last_four ~ '^[0-9A-Za-z-]{4}$'),
  account_kind text not null check (account_kind in ('checking', 'savings')),
  created_by bigint not null references user_account (id),
  created_at timestamptz not null default now(),
  -- A first account can be used at once, a changed one after 48 hours.
  usable_from timestamptz not null,
  replaced_at timestamptz,
  -- The code with which the bank returned a payment or sent a correction; for a correction also the new data, encrypted.
  flag_code text check (flag_code ~ '^[RC][0-9]{2}$'),
  flagged_at timestamptz,
  correction bytea,
  -- Everyone except the owner who has entered this number. They decide about nothing that is paid to it, even when a colleague
  -- has since corrected the holder's name or adopted the bank's correction: each change is a row with its own writer.
  entered_by bigint[] not null default '{}',
  check (usable_from >= created_at),
  check ((flag_code is null) = (flagged_at is null)),
  check (correction is null or flag_code like 'C%')
);
create unique index payee_bank_account_current_idx on payee_bank_account (user_id) where replaced_at is null;
create index payee_bank_account_user_idx on payee_bank_account (user_id, id desc);

-- Account numbers are encrypted, so the last four digits are compared: matching one account too many only moves a decision to
-- someone else.
create function keep_entered_by() returns trigger language plpgsql as $$
begin
  -- An owner's own entry counts, even if someone else entered the number before.
  if new.created_by <> new.user_id then
    select coalesce(array_agg(distinct who order by who), '{}') into new.entered_by
      from (select a.created_by, a.entered_by, a.flag_code, a.routing_number, a.last_four from payee_bank_account a
             where a.user_id = new.user_id order by a.id desc limit 1) a,
           unnest(array[a.created_by] || a.entered_by) who
     where who not in (new.user_id, new.created_by)
       and (a.flag_code like 'C%' or (a.routing_number, a.last_four) = (new.routing_number, new.last_four));
  end if;
  return new;
end
$$;
create trigger payee_bank_account_keeps_entered_by before insert on payee_bank_account
  for each row execute function keep_entered_by();

-- The bank that files are sent to, and how it knows us. One row, once staff have entered it.
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
  -- The last seven digits of the next trace number; starts over after 9,999,999.
  next_trace_sequence integer not null default 1 check (next_trace_sequence between 1 and 9999999),
  updated_by bigint not null references user_account (id),
  updated_at timestamptz not null default now(),
  check (not balanced or (offset_routing_number is not null and offset_account_number is not null
                          and offset_last_four is not null and offset_account_kind is not null))
);

-- draft -> approved -> generated -> outcome_unknown -> transmitted -> settled; draft, approved, generated -> cancelled.
-- outcome_unknown: the file was downloaded, and no one has confirmed yet whether the bank has it. It is never sent again
-- automatically: a person confirms that the bank has it, or that it does not, which leads back to generated.
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
  -- The columns below are set when the file is generated. The file is encrypted; its SHA-256 is that of the plain file.
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

-- A request in a batch. released_at: the request left the batch, or the batch was cancelled.
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
-- At most one live entry pays a request. A returned payment may be paid again by another batch.
create unique index banking_batch_entry_live_idx on banking_batch_entry (disbursement_id)
  where released_at is null and returned_at is null;
create index banking_batch_entry_batch_idx on banking_batch_entry (batch_id, id);
create index banking_batch_entry_request_idx on banking_batch_entry (disbursement_id, id desc);
create index banking_batch_entry_trace_idx on banking_batch_entry (trace_number, id desc) where trace_number is not null;
create index banking_batch_entry_account_idx on banking_batch_entry (bank_account_id) where released_at is null;

-- The history of a batch, one row for each step.
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
  for each row execute function refuse_change('note');

-- The people who compared a file and vouch for it. Two different people sign before it is sent.
create table batch_signature (
  batch_id bigint not null references banking_batch (id),
  user_id bigint not null references user_account (id),
  file_sha256 bytea not null check (length(file_sha256) = 32),
  signed_at timestamptz not null default now(),
  primary key (batch_id, user_id)
);
create trigger batch_signature_is_append_only before update or delete on batch_signature
  for each row execute function refuse_change();

-- Return files of the bank. Returns give money back to cases, so one person uploads a file and another confirms it; nothing in it
-- is applied until then.
create table bank_return_file (
  id bigint generated always as identity primary key,
  file_sha256 bytea not null check (length(file_sha256) = 32),
  filename text not null check (length(filename) between 1 and 255),
  uploaded_by bigint not null references user_account (id),
  uploaded_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'applied', 'refused')),
  -- Encrypted and bound to its SHA-256 while it waits, because it contains account numbers.
  content bytea,
  -- The requests that it is about: it is listed for people who see all of them.
  disbursement_ids bigint[] not null default '{}',
  decided_by bigint references user_account (id),
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 300),
  check ((status = 'waiting') = (content is not null)),
  check ((decided_by is null) = (decided_at is null) and (status <> 'waiting' or decided_by is null)),
  check ((status = 'refused') = (decision_reason is not null))
);
-- The same file works once; one that was refused may be uploaded again.
create unique index bank_return_file_live_idx on bank_return_file (file_sha256) where status <> 'refused';
create index bank_return_file_waiting_idx on bank_return_file (id) where status = 'waiting';

create function keep_bank_return_file() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.file_sha256, new.filename, new.uploaded_by, new.uploaded_at)
        is distinct from (old.id, old.file_sha256, old.filename, old.uploaded_by, old.uploaded_at)
     or new.content is distinct from old.content and new.content is not null then
    raise exception 'a return file is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger bank_return_file_is_kept before update or delete on bank_return_file
  for each row execute function keep_bank_return_file();

create table bank_return_entry (
  file_id bigint not null references bank_return_file (id),
  line integer not null,
  code text not null check (code ~ '^[RC][0-9]{2}$'),
  original_trace text not null check (original_trace ~ '^[0-9]{15}$'),
  amount_cents bigint not null check (amount_cents >= 0),
  -- Null: no entry of ours has this trace number and amount.
  batch_entry_id bigint references banking_batch_entry (id),
  outcome text not null check (outcome in ('returned', 'corrected', 'already_returned', 'not_ours')),
  primary key (file_id, line),
  check ((batch_entry_id is null) = (outcome = 'not_ours'))
);
create index bank_return_entry_entry_idx on bank_return_entry (batch_entry_id) where batch_entry_id is not null;

-- -----------------------------------------------------------------------------------------------------------------------------
-- Cash and the ledger
-- -----------------------------------------------------------------------------------------------------------------------------

-- Deposits and refunds that staff record. They reach the ledger once another person has confirmed them.
create table cash_entry (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('deposit', 'refund')),
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  memo text not null default '' check (length(memo) <= 300),
  recorded_by bigint not null references user_account (id),
  recorded_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'confirmed', 'refused')),
  decided_by bigint references user_account (id),
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 300),
  check ((status = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check ((status = 'refused') = (decision_reason is not null))
);
create index cash_entry_waiting_idx on cash_entry (id) where status = 'waiting';
create index cash_entry_case_idx on cash_entry (case_id, id desc);

-- People decide about what they saw: only the decision about an entry is ever added, and only once.
create function keep_cash_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('platform.erasing', true) = 'yes'
     and to_jsonb(new) - '{memo,decision_reason}'::text[] = to_jsonb(old) - '{memo,decision_reason}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.case_id, new.kind, new.amount_cents, new.memo, new.recorded_by, new.recorded_at)
        is distinct from (old.id, old.case_id, old.kind, old.amount_cents, old.memo, old.recorded_by, old.recorded_at) then
    raise exception 'a cash entry is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger cash_entry_is_kept before update or delete on cash_entry for each row execute function keep_cash_entry();
create trigger cash_entry_is_never_emptied before truncate on cash_entry
  for each statement execute function refuse_change();

-- The ledger: double entry, one set of accounts for each case, append-only. Debits are positive, credits negative.
--   cash   the case's money at the bank             (debit)
--   funds  money that the case may still spend      (credit)
--   held   money reserved for approved requests     (credit)
create table ledger_transaction (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('deposit', 'refund', 'hold', 'release', 'payment', 'return')),
  disbursement_id bigint references disbursement_request (id),
  memo text not null default '' check (length(memo) <= 300),
  created_by bigint references user_account (id),
  -- The time of writing, while the case is locked, and not the start of the transaction: no movement is ever dated before a
  -- balance that a statement has already shown.
  created_at timestamptz not null default clock_timestamp(),
  -- One movement for each confirmed deposit or refund.
  cash_entry_id bigint unique references cash_entry (id),
  unique (id, case_id),
  check ((kind in ('deposit', 'refund')) = (disbursement_id is null)),
  constraint cash_entry_moves_cash check (cash_entry_id is null or kind in ('deposit', 'refund'))
);
create index ledger_transaction_case_idx on ledger_transaction (case_id, id desc);
create index ledger_transaction_case_time_idx on ledger_transaction (case_id, created_at, id);
create index ledger_transaction_disbursement_idx on ledger_transaction (disbursement_id) where disbursement_id is not null;
-- Deposits and refunds in the timeline of a case.
create index ledger_transaction_cash_idx on ledger_transaction (case_id, created_at desc, id desc)
  where kind in ('deposit', 'refund');

create table ledger_posting (
  transaction_id bigint not null,
  case_id bigint not null,
  account text not null check (account in ('cash', 'funds', 'held')),
  amount_cents bigint not null check (amount_cents <> 0),
  primary key (transaction_id, account),
  foreign key (transaction_id, case_id) references ledger_transaction (id, case_id)
);
create index ledger_posting_balance_idx on ledger_posting (case_id, account) include (amount_cents);
-- A statement shows how movements changed the case's cash, without reading the ones that only reserved money.
create index ledger_posting_cash_idx on ledger_posting (case_id, transaction_id) include (amount_cents) where account = 'cash';

create trigger ledger_transaction_is_append_only before update or delete on ledger_transaction
  for each row execute function refuse_change('memo');
create trigger ledger_transaction_is_never_emptied before truncate on ledger_transaction
  for each statement execute function refuse_change();
create trigger ledger_posting_is_append_only before update or delete on ledger_posting
  for each row execute function refuse_change();
create trigger ledger_posting_is_never_emptied before truncate on ledger_posting
  for each statement execute function refuse_change();

-- Runs at the end of the transaction, when all its postings exist.
create function check_ledger() returns trigger language plpgsql as $$
declare
  entry bigint := coalesce(to_jsonb(new) ->> 'transaction_id', to_jsonb(new) ->> 'id');
begin
  if (select coalesce(sum(amount_cents), 1) from ledger_posting where transaction_id = entry) <> 0 then
    raise exception 'the postings of transaction % do not sum to zero', entry using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger ledger_transaction_is_balanced after insert on ledger_transaction
  deferrable initially deferred for each row execute function check_ledger();
create constraint trigger ledger_posting_is_balanced after insert on ledger_posting
  deferrable initially deferred for each row execute function check_ledger();

-- The balance of each account, so that a posting is checked against one row instead of the sum of all earlier postings. Balances
-- are derived from postings, which remain the record.
create table ledger_balance (
  case_id bigint not null references case_file (id),
  account text not null check (account in ('cash', 'funds', 'held')),
  amount_cents bigint not null,
  -- For cash: deposits minus refunds. The amount paid out follows from it without a sum of all postings.
  paid_in_cents bigint not null default 0,
  primary key (case_id, account),
  check (account = 'cash' or paid_in_cents = 0)
);

-- Adds the postings of one statement. Transactions that move the money of one case at the same time wait for each other here.
-- Runs with the owner's rights, because the applications' database roles may not write balances (db/grant.ts).
create function keep_ledger_balance() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_balance as kept (case_id, account, amount_cents, paid_in_cents)
    select p.case_id, p.account, sum(p.amount_cents),
           coalesce(sum(p.amount_cents) filter (where p.account = 'cash' and t.kind in ('deposit', 'refund')), 0)
      from posted p join ledger_transaction t on t.id = p.transaction_id
     group by p.case_id, p.account order by p.case_id, p.account
    on conflict (case_id, account) do update
      set amount_cents = kept.amount_cents + excluded.amount_cents,
          paid_in_cents = kept.paid_in_cents + excluded.paid_in_cents;
  return null;
end
$$;
create trigger ledger_posting_is_counted after insert on ledger_posting
  referencing new table as posted for each statement execute function keep_ledger_balance();

-- Only the trigger above may write balances; the schema's owner may not either.
create function refuse_own_balance() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'only postings may write a balance' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger ledger_balance_is_derived before insert or update or delete on ledger_balance
  for each row execute function refuse_own_balance();
create trigger ledger_balance_is_never_emptied before truncate on ledger_balance
  for each statement execute function refuse_change();

-- Runs at the end of the transaction: only the final balance counts.
create function check_ledger_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from ledger_balance
     where case_id = new.case_id and account = new.account
       and case account when 'cash' then amount_cents < 0 else amount_cents > 0 end
  ) then
    raise exception 'an account of case % would be overdrawn', new.case_id using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger ledger_balance_is_covered after insert or update on ledger_balance
  deferrable initially deferred for each row
  when (case new.account when 'cash' then new.amount_cents < 0 else new.amount_cents > 0 end)
  execute function check_ledger_balance();

-- Movements for a request are announced with the request, so only deposits and refunds are announced here.
create function announce_cash() returns trigger language plpgsql as $$
begin
  perform announce_case(told.case_id, null)
     from (select distinct n.case_id from changed n where n.kind in ('deposit', 'refund')) told;
  return null;
end
$$;
create trigger ledger_transaction_is_announced after insert on ledger_transaction
  referencing new table as changed for each statement execute function announce_cash();

-- The cases that will run short of money, and the month in which people were notified: once a month.
create table funds_short_notice (
  case_id bigint not null references case_file (id),
  -- The first day of the month.
  month date not null check (extract(day from month) = 1),
  short_in date not null,
  missing_cents bigint not null check (missing_cents > 0),
  created_at timestamptz not null default now(),
  primary key (case_id, month)
);

-- -----------------------------------------------------------------------------------------------------------------------------
-- Two-person rules: no one decides about something that they, or another record of theirs, took part in
-- -----------------------------------------------------------------------------------------------------------------------------

-- Everyone who takes part in a request: they wrote, submitted, or changed it, are paid by it, or entered the bank account that it
-- is paid to.
create function disbursement_insiders(d disbursement_request) returns bigint[] language plpgsql stable as $$
begin
  return array[d.created_by, d.submitted_by, d.payee_id] || d.revised_by
         || (select array[a.created_by] || a.entered_by from payee_bank_account a
              where a.user_id = d.payee_id and a.replaced_at is null);
end
$$;

-- Everyone who is paid by a batch or entered an account that it pays to.
create function batch_insiders(batch bigint) returns bigint[] language sql stable
  return (
    select array_agg(distinct insider)
      from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
           cross join lateral unnest(array[a.user_id, a.created_by] || a.entered_by) insider
     where e.batch_id = batch and e.released_at is null);

-- No one may create their own checker: an account whose email address someone else changed decides about nothing for 7 days, and
-- for 30 days about nothing that the person who requested the change takes part in.
create function is_others_checker(record bigint, makers bigint[]) returns boolean language sql stable
  return exists (
    select from address_change c
     where c.user_id = record and c.requested_by <> record
       and (c.confirmed_at > now() - interval '7 days'
         or c.confirmed_at is not null and c.requested_at > now() - interval '30 days'
           and is_person_among(c.requested_by, makers)));

-- Checked when someone takes the second part, and not again: a later change of address takes nothing back. Requests and
-- signatures have functions of their own below.
create function refuse_others_second() returns trigger language plpgsql as $$
begin
  raise exception 'the address of the person who decides about % % was changed by someone else', tg_table_name, new.id
    using errcode = 'check_violation', constraint = 'checker_is_their_own';
end
$$;

-- Requests. After-triggers, so that the table's own checks, which compare records, answer first; these compare people.
create function refuse_own_request() returns trigger language plpgsql as $$
begin
  if is_person_among(new.approver_id, disbursement_insiders(new)) then
    raise exception 'one person would ask and decide about request %', new.id
      using errcode = 'check_violation', constraint = 'maker_is_never_checker';
  end if;
  return null;
end
$$;
create trigger disbursement_request_takes_two after insert or update of approver_id, created_by, submitted_by, payee_id
  on disbursement_request for each row when (new.approver_id is not null) execute function refuse_own_request();

create function refuse_others_checker() returns trigger language plpgsql as $$
begin
  if is_others_checker(new.approver_id, disbursement_insiders(new)) then
    raise exception 'the address of the person who decides about request % was changed by someone else', new.id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$$;
create trigger disbursement_request_takes_its_own_checker after insert or update of approver_id
  on disbursement_request for each row when (new.approver_id is not null) execute function refuse_others_checker();

-- Batches.
create function refuse_own_batch() returns trigger language plpgsql as $$
declare
  insiders bigint[] := new.created_by || batch_insiders(new.id);
begin
  if is_person_among(new.approved_by, insiders) or is_person_among(new.handed_out_by, insiders) then
    raise exception 'one person would have two parts in batch %', new.id
      using errcode = 'check_violation', constraint = 'maker_never_approves';
  end if;
  return null;
end
$$;
create trigger banking_batch_takes_two after insert or update of approved_by, handed_out_by, created_by on banking_batch
  for each row when (new.approved_by is not null or new.handed_out_by is not null) execute function refuse_own_batch();
create trigger banking_batch_takes_its_own_checker after update of approved_by on banking_batch for each row
  when (new.approved_by is distinct from old.approved_by
    and is_others_checker(new.approved_by, new.created_by || batch_insiders(new.id))) execute function refuse_others_second();
create trigger banking_batch_takes_its_own_payer after update of handed_out_by on banking_batch for each row
  when (new.handed_out_by is distinct from old.handed_out_by
    and is_others_checker(new.handed_out_by, new.created_by || batch_insiders(new.id))) execute function refuse_others_second();

-- Signatures under a file. They have no id of their own, and the other signer counts as well.
create function refuse_own_signature() returns trigger language plpgsql as $$
begin
  if is_person_among(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s where s.batch_id = new.batch_id and s.user_id <> new.user_id)) then
    raise exception 'two signatures of batch % would be one person''s', new.batch_id
      using errcode = 'check_violation', constraint = 'signers_are_two';
  end if;
  return null;
end
$$;
create trigger batch_signature_takes_two after insert on batch_signature
  for each row execute function refuse_own_signature();

create function refuse_others_signature() returns trigger language plpgsql as $$
begin
  if is_others_checker(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s where s.batch_id = new.batch_id and s.user_id <> new.user_id)) then
    raise exception 'the address of the person who signs batch % was changed by someone else', new.batch_id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$$;
create trigger batch_signature_takes_its_own_signer after insert on batch_signature
  for each row execute function refuse_others_signature();

-- Deposits and refunds.
create function refuse_own_cash_entry() returns trigger language plpgsql as $$
begin
  if is_person_among(new.decided_by, array[new.recorded_by]) then
    raise exception 'one person would record and confirm entry % of case %', new.id, new.case_id
      using errcode = 'check_violation', constraint = 'recorder_never_confirms';
  end if;
  return null;
end
$$;
create trigger cash_entry_takes_two after insert or update on cash_entry
  for each row when (new.status = 'confirmed') execute function refuse_own_cash_entry();
create trigger cash_entry_takes_its_own_checker after update of decided_by on cash_entry for each row
  when (new.status = 'confirmed' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.recorded_by])) execute function refuse_others_second();

-- The ledger moves cash only for a confirmed entry of the same case, kind, and amount. Runs at the end of the transaction, when
-- all postings exist.
create function check_cash_entry() returns trigger language plpgsql as $$
begin
  if not exists (
    select from cash_entry e
     where e.id = new.cash_entry_id and e.case_id = new.case_id and e.kind = new.kind and e.status = 'confirmed'
       and not exists (select from ledger_posting p where p.transaction_id = new.id and abs(p.amount_cents) <> e.amount_cents)
  ) then
    raise exception 'two people have not agreed on this % of case %', new.kind, new.case_id
      using errcode = 'check_violation', constraint = 'cash_takes_two';
  end if;
  return null;
end
$$;
create constraint trigger ledger_transaction_takes_two after insert on ledger_transaction
  deferrable initially deferred for each row when (new.kind in ('deposit', 'refund'))
  execute function check_cash_entry();

-- Return files, and what they do.
create function refuse_own_return_file() returns trigger language plpgsql as $$
begin
  if new.decided_by is null or is_person_among(new.decided_by, array[new.uploaded_by]) then
    raise exception 'one person would read in and confirm return file %', new.id
      using errcode = 'check_violation', constraint = 'reader_never_confirms';
  end if;
  return null;
end
$$;
create trigger bank_return_file_takes_two after insert or update on bank_return_file
  for each row when (new.status = 'applied') execute function refuse_own_return_file();
create trigger bank_return_file_takes_its_own_checker after update of decided_by on bank_return_file for each row
  when (new.status = 'applied' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.uploaded_by])) execute function refuse_others_second();

create function refuse_early_return() returns trigger language plpgsql as $$
begin
  if not exists (select from bank_return_file f where f.id = new.file_id and f.status = 'applied') then
    raise exception 'return file % is not confirmed', new.file_id
      using errcode = 'check_violation', constraint = 'return_takes_two';
  end if;
  return null;
end
$$;
create trigger bank_return_entry_takes_two after insert or update on bank_return_entry
  for each row execute function refuse_early_return();

-- Roles that may move money: one administrator grants them, another confirms. Grants that wait are kept here and not with the
-- roles, so that no permission check can mistake one for a role.
create table role_grant (
  id bigint generated always as identity primary key,
  admin_role_id bigint not null references admin_role (id) on delete cascade,
  -- Either the person who should get the role, or the permissions that the role should get.
  user_id bigint references user_account (id),
  permissions text[] check (cardinality(permissions) > 0),
  asked_by bigint not null references user_account (id),
  asked_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'confirmed', 'refused')),
  decided_by bigint references user_account (id),
  decided_at timestamptz,
  check ((user_id is null) = (permissions is not null)),
  check ((status = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null))
);
create unique index role_grant_of_a_person_idx on role_grant (user_id) where status = 'waiting';
create unique index role_grant_of_a_role_idx on role_grant (admin_role_id) where status = 'waiting' and user_id is null;
create index role_grant_role_idx on role_grant (admin_role_id);

create function keep_role_grant() returns trigger language plpgsql as $$
begin
  if old.status <> 'waiting'
     or (new.id, new.admin_role_id, new.user_id, new.permissions, new.asked_by, new.asked_at)
        is distinct from (old.id, old.admin_role_id, old.user_id, old.permissions, old.asked_by, old.asked_at) then
    raise exception 'a grant is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger role_grant_is_kept before update on role_grant for each row execute function keep_role_grant();

-- Neither the person who requested a grant nor the one who receives it may confirm it.
create function refuse_own_role_grant() returns trigger language plpgsql as $$
begin
  if is_person_among(new.decided_by, array[new.asked_by, new.user_id]) then
    raise exception 'one person would grant and confirm role %', new.admin_role_id
      using errcode = 'check_violation', constraint = 'granter_never_confirms';
  end if;
  return null;
end
$$;
create trigger role_grant_takes_two after insert or update on role_grant
  for each row when (new.status = 'confirmed') execute function refuse_own_role_grant();
create trigger role_grant_takes_its_own_checker after update of decided_by on role_grant for each row
  when (new.status = 'confirmed' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.asked_by, new.user_id])) execute function refuse_others_second();

-- -----------------------------------------------------------------------------------------------------------------------------
-- Notifications
-- -----------------------------------------------------------------------------------------------------------------------------

create table push_subscription (
  id bigint generated always as identity primary key,
  user_type text not null,
  user_id bigint not null references user_account (id) on delete cascade,
  endpoint text not null check (length(endpoint) <= 2048),
  p256dh text not null,
  auth text not null,
  -- The VAPID public key that the browser subscribed with: after a rotation, old devices can be recognized.
  vapid_key_id text not null,
  created_at timestamptz not null default now(),
  -- How the browser identified itself when it subscribed, for the list of devices.
  user_agent text not null default '' check (length(user_agent) <= 500),
  -- When its VAPID key was first rejected. The device has to subscribe again, and gets nothing until then.
  renew_since timestamptz,
  unique (user_type, user_id, endpoint)
);
create index push_subscription_user_idx on push_subscription (user_id);
create index push_subscription_endpoint_idx on push_subscription (endpoint);

-- Only what differs from the default: without a row, a notification is on.
create table notification_preference (
  user_id bigint not null references user_account (id) on delete cascade,
  event text not null check (length(event) <= 100),
  channel text not null check (channel in ('email', 'sms', 'push')),
  enabled boolean not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, event, channel)
);

-- The keys that sign the unsubscribe links in mails. One key for each person, so that no process needs another secret, and a link
-- works for as long as the account exists.
create table unsubscribe_key (
  user_id bigint primary key references user_account (id) on delete cascade,
  key bytea not null check (octet_length(key) = 32)
);

-- Everything that was sent.
create table delivery (
  id bigint generated always as identity primary key,
  -- One delivery for each event, channel, and address: a job that runs again finds its row instead of adding one.
  delivery_key text not null unique check (length(delivery_key) <= 300),
  channel text not null check (channel in ('email', 'sms', 'push')),
  event text not null,
  user_id bigint references user_account (id) on delete set null,
  recipient text not null,
  subject text not null default '',
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'suppressed')),
  attempts integer not null default 0,
  provider_id text,
  error text,
  -- The rendered content, kept only without a configured provider (development), so that it can be read.
  content jsonb,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- What the provider reported after it had accepted the message.
  outcome text check (outcome in ('delivered', 'bounced')),
  outcome_at timestamptz,
  -- The job of a delivery that failed for good, so that staff can retry it; never one with a code or a link.
  retry_job jsonb,
  -- When a mail may be sent. The number of mails to a person in an hour is limited, except for mails that protect an account.
  due_at timestamptz,
  -- The request that caused the delivery, so that support finds everything that came of it.
  request_id text
);
create index delivery_recent_idx on delivery (id desc);
create index delivery_user_idx on delivery (user_id, id desc);
create index delivery_state_idx on delivery (state, id desc);
create index delivery_channel_idx on delivery (channel, id desc);
create index delivery_event_idx on delivery (event, id desc);
create index delivery_provider_idx on delivery (provider_id) where provider_id is not null;
create index delivery_recipient_idx on delivery (lower(recipient), (coalesce(due_at, created_at)) desc)
  where channel = 'email';
-- Recent texts to a number, over all accounts: without it, every text would read a day's deliveries.
create index delivery_texts_idx on delivery (recipient, created_at desc) where channel = 'sms';
create index delivery_age_idx on delivery (created_at, id);

-- Addresses and numbers that providers will not deliver to. Staff remove an entry to lift it.
create table suppression (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('email', 'sms')),
  -- In the form that is compared: an email address in lower case, a number in E.164.
  address text not null check (length(address) <= 320),
  reason text not null check (reason in ('bounced', 'invalid', 'unsubscribed', 'complained')),
  source text not null check (source in ('sendgrid', 'twilio')),
  detail text not null default '' check (length(detail) <= 500),
  created_at timestamptz not null default now(),
  unique (channel, address)
);

-- When staff last removed an address from the suppression list: reports about earlier events do not bring it back.
create table suppression_lift (
  channel text not null check (channel in ('email', 'sms')),
  address text not null check (length(address) <= 320),
  lifted_at timestamptz not null default now(),
  primary key (channel, address)
);
create index suppression_lift_age_idx on suppression_lift (lifted_at);

-- Reports of providers that were accepted: a signed report counts once. Kept for longer than a report may be old
-- (modules/notifications/provider-reports.ts).
create table provider_report (
  source text not null check (source in ('sendgrid', 'twilio')),
  report_id text not null check (length(report_id) between 1 and 300),
  received_at timestamptz not null default now(),
  primary key (source, report_id)
);
create index provider_report_received_idx on provider_report (received_at);

-- Workers that are alive. The jobs of a worker become free when its row is no longer renewed.
create table worker_heartbeat (
  -- graphile-worker's name for the pool or worker that takes jobs.
  worker_id text primary key check (length(worker_id) <= 200),
  seen_at timestamptz not null default now()
);

-- -----------------------------------------------------------------------------------------------------------------------------
-- The audit log
-- -----------------------------------------------------------------------------------------------------------------------------

-- One row for each change, written in the change's own transaction. Append-only: the triggers below refuse changes, and the
-- applications' database roles may only read and add (db/grant.ts).
create table audit_entry (
  id bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  -- Null: the platform itself (the scheduler, a synchronization at start).
  actor_id bigint references user_account (id),
  actor_type text,
  layer text not null check (layer in ('api', 'admin', 'worker', 'system')),
  -- Subject and verb: role.update, disbursement.approve.
  action text not null check (action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$' and length(action) <= 64),
  -- The first word of the action.
  subject_type text not null generated always as (split_part(action, '.', 1)) stored,
  subject_id bigint,
  -- The subject's name at that time: it stays readable after the subject is renamed or removed.
  subject_label text not null default '' check (length(subject_label) <= 300),
  case_id bigint references case_file (id),
  -- The fields that changed, without secrets.
  before jsonb,
  after jsonb,
  ip_address inet,
  request_id text check (length(request_id) <= 64),
  -- The random number of the visit: the number on an error page leads to what the person did.
  visit_id uuid
);
-- The log is read newest first, a page at a time: one index in that order for each filter.
create index audit_entry_newest_idx on audit_entry (happened_at desc, id desc);
create index audit_entry_actor_idx on audit_entry (actor_id, happened_at desc, id desc);
create index audit_entry_action_idx on audit_entry (action, happened_at desc, id desc);
create index audit_entry_kind_idx on audit_entry (subject_type, happened_at desc, id desc);
create index audit_entry_subject_idx on audit_entry (subject_type, subject_id, happened_at desc, id desc);
create index audit_entry_case_idx on audit_entry (case_id, happened_at desc, id desc) where case_id is not null;
create index audit_entry_visit_idx on audit_entry (visit_id, happened_at desc, id desc) where visit_id is not null;
-- The entries that appear in a case's timeline, and the changed names of its people.
create index audit_entry_story_idx on audit_entry (case_id, happened_at desc, id desc)
  where case_id is not null and action in (
    'case.create', 'case.change_status', 'disbursement.submit', 'disbursement.approve', 'disbursement.deny',
    'disbursement.cancel', 'disbursement.batch', 'disbursement.unbatch', 'disbursement.pay', 'disbursement.return',
    'disbursement.retry');
create index audit_entry_renamed_idx on audit_entry (case_id, happened_at desc, id desc)
  where action = 'case.rename_person';

-- subject_type is listed because generated columns are not computed yet when a before-trigger runs.
create trigger audit_entry_is_append_only before update or delete on audit_entry
  for each row execute function refuse_change('subject_label', 'before', 'after', 'ip_address', 'visit_id', 'subject_type');
create trigger audit_entry_is_never_emptied before truncate on audit_entry
  for each statement execute function refuse_change();

-- -----------------------------------------------------------------------------------------------------------------------------
-- Limits and retries
-- -----------------------------------------------------------------------------------------------------------------------------

-- A retried request gets the first one's answer instead of happening twice. Kept for 24 hours.
create table idempotency_key (
  user_id bigint not null references user_account (id) on delete cascade,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null check (length(request_hash) = 32),
  response_body jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_key_created_idx on idempotency_key (created_at);

-- Events that agencies sent; the same id from the same agency is processed once.
create table agency_event (
  agency_id bigint not null references agency (id),
  event_id text not null check (length(event_id) between 1 and 255),
  type text not null check (length(type) between 1 and 100),
  case_id bigint references case_file (id),
  data jsonb,
  received_at timestamptz not null default now(),
  primary key (agency_id, event_id)
);
create index agency_event_agency_idx on agency_event (agency_id, received_at desc, event_id);
create index agency_event_case_idx on agency_event (case_id, received_at desc, event_id) where case_id is not null;
create index agency_event_received_idx on agency_event (received_at);

-- Failed attempts that must survive a restart. The table belongs to rate-limiter-flexible.
create table throttle (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index throttle_expire_idx on throttle (expire);

-- Calls in the present minute by person and address, counted for all processes together. Unlogged: losing it loses only the count
-- of one minute, and no commit waits for a standby.
create unlogged table call_count (
  subject text primary key check (length(subject) <= 64),
  -- Minutes since 1970.
  minute int not null,
  calls int not null
) with (fillfactor = 50);
