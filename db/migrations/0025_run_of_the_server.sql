-- A crash of the server empties this table, and the next one who needs the row makes another.
create unlogged table database_run (
  only_one boolean primary key default true check (only_one),
  mark uuid not null default gen_random_uuid()
);

-- The mark of this database, of its history, and now also of the run of its server since the last crash. A file copy that was reset
-- to an earlier moment, and a promoted standby that missed transactions, reuse transaction numbers; their write-ahead log has
-- another timeline. Some hosted servers do not let us read the log position, and then only the marks distinguish histories. A server
-- that crashed stays on its timeline and reuses numbers that had not reached the disk: those of transactions that were rolled back or
-- wrote only unlogged tables, such as the publisher's. A place can be after these (LIVE-6).
create or replace function database_mark() returns text language plpgsql volatile as $$
declare
  history text := '';
  run uuid;
begin
  if not pg_catalog.pg_is_in_recovery() then
    begin
      history := pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8);
    exception when others then
      history := '';
    end;
    run := (select r.mark from public.database_run r);
    if run is null then
      insert into public.database_run default values on conflict do nothing;
      run := (select r.mark from public.database_run r);
    end if;
  end if;
  return (select pg_catalog.left(pg_catalog.md5(pg_catalog.concat(c.mark, history, run)), 8) from public.database_copy c);
end
$$;

create or replace function current_place() returns text language sql volatile as
  $$ select public.database_mark() || '-' || pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) $$;
