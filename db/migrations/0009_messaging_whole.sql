-- Retraction, notes among staff, live updates, and a search that does not grow with the tables.

-- Notes among admins have a table of their own: nothing that a non-admin asks for ever reads it.
create table chain_note (
  id bigint generated always as identity primary key,
  chain_id bigint not null references message_chain (id) on delete cascade,
  author_id bigint not null references user_account (id),
  note text not null check (length(note) between 1 and 10000),
  created_at timestamptz not null default now()
);
create index chain_note_chain_idx on chain_note (chain_id, id desc);
create index chain_note_author_idx on chain_note (author_id);

-- A retracted message stays as a tombstone: who and when. Its text and files are gone.
alter table message
  add column retracted_at timestamptz,
  -- The transaction that wrote it. Whoever was cut off from the live updates asks for what was written since: ids are given
  -- out before the commit and would leave gaps, transactions below the oldest running one are all done.
  add column written_in xid8 not null default pg_current_xact_id();
alter table message drop constraint message_message_check;
alter table message add constraint message_message_check
  check (length(message) <= 10000 and (length(message) >= 1 or retracted_at is not null));
create index message_written_in_idx on message (written_in);
create index message_from_idx on message (from_id, id desc);

-- What people type into a search box: words, "a phrase", -without, this or that; the last word may be its beginning.
create function search_words(words text) returns tsquery language sql immutable parallel safe
  return case when websearch_to_tsquery('simple'::regconfig, words)::text like '%'''
    then (websearch_to_tsquery('simple'::regconfig, words)::text || ':*')::tsquery
    else websearch_to_tsquery('simple'::regconfig, words) end;
