-- A copy of the files, brought back to an earlier moment, and a standby that had not had everything count on from a number that
-- was given once before. Such a database has the same mark; its log has another timeline. What was read in the lost history means
-- nothing in this one.
--
-- Not every hosted PostgreSQL has a log of its own to ask: there, the mark alone tells one database from another.
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

create or replace function current_place() returns text language sql stable as
  $$ select public.database_mark() || '-' || pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) $$;
