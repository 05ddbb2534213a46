-- What the lists of staff walk along, so that none of them grows with the tables.

-- Words only: the parser would take 'A-1' or 'x.org' for numbers and addresses of its own.
alter table case_file add column search tsvector generated always as (
  to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g'))
) stored;
create index case_file_search_idx on case_file using gin (search);
-- Each order of the list of cases, alone and within a state; case_file_updated_idx is there already.
create index case_file_name_idx on case_file (name, id);
create index case_file_created_idx on case_file (created_at, id);
create index case_file_status_updated_idx on case_file (status, updated_at, id);
create index case_file_status_name_idx on case_file (status, name, id);
create index case_file_status_created_idx on case_file (status, created_at, id);

-- The deliveries of one channel and of one event, newest first; those of a state and of a person have their index.
create index delivery_channel_idx on delivery (channel, id desc);
create index delivery_event_idx on delivery (event, id desc);

create index agency_name_idx on agency (lower(name), id);
