-- Catching up goes by transaction numbers, which mean something in one cluster alone. `written_in` was in every dump: restored
-- elsewhere, all messages lay in the future. A generated column is in none: whoever loads the rows computes it anew, and it
-- then says which transaction has put them there, which is what catching up asks.
--
-- PostgreSQL takes only an immutable function for that, and this one is not: it is called so because being computed once, when
-- the row is written, is all that is wanted. It depends on no column, hence an update leaves its value.
create function own_transaction() returns xid8 language sql immutable as 'select pg_catalog.pg_current_xact_id()';
create function own_mark() returns uuid language sql immutable as 'select pg_catalog.gen_random_uuid()';

drop index message_written_in_idx;
alter table message drop column written_in;
alter table message add column written_in xid8 not null generated always as (own_transaction()) stored;
create index message_written_in_idx on message (written_in);

-- Tells this database from every other that the same dump was restored into: places given there mean nothing here.
create table database_copy (
  only_one boolean primary key default true check (only_one),
  mark uuid not null generated always as (own_mark()) stored
);
insert into database_copy default values;

-- The place from which nothing is missed: every transaction before it is over.
create function current_place() returns text language sql stable as
  $$ select pg_catalog.left(mark::text, 8) || '-' || pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) from public.database_copy $$;
