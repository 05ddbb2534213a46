import type pg from 'pg';
import { eventually } from '../eventually.ts';

/** Copies all tables and the values of the sequences. */
const KEEP = `do $$
  declare name text;
  begin
    create schema first;
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table first.%1$I as table public.%1$I', name);
    end loop;
    create table first."the sequences" as select sequencename, last_value from pg_sequences where schemaname = 'public';
  end
$$`;

/** The SQLSTATE of a statement that waited too long for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs as the owner of the schema, in a session mode without triggers. It gives way to the last reads of a page, which lock
 * tables in another order: after a deadlock of one second the server would end one of the two sessions.
 */
const PUT_BACK = `do $$
  declare
    name text;
    columns text;
  begin
    set local session_replication_role = replica;
    set local lock_timeout = '200ms';
    execute (select 'truncate ' || string_agg(format('public.%I', tablename), ', ') from pg_tables where schemaname = 'public');
    for name, columns in
      select table_name, string_agg(quote_ident(column_name), ', ') from information_schema.columns
       where table_schema = 'public' and is_generated = 'NEVER'
         and table_name in (select tablename from pg_tables where schemaname = 'public')
       group by table_name
    loop
      execute format('insert into public.%1$I (%2$s) overriding system value select %2$s from first.%1$I', name, columns);
    end loop;
    -- The processes that go on running send each message once, so a new message must not get the number of an earlier one.
    perform setval(format('public.%I', sequencename), coalesce(last_value, 1), last_value is not null)
       from first."the sequences" where sequencename <> 'message_id_seq';
  end
$$`;

/** Stores the contents of a database in the database itself, for `putTablesBack`. */
export async function keepTables(pool: pg.Pool): Promise<void> {
  await pool.query(KEEP);
}

/** Restores the tables to the state at `keepTables`; only the numbers of messages continue. Requires the owner of the schema. */
export async function putTablesBack(pool: pg.Pool): Promise<void> {
  await eventually('the tables are put back', () =>
    pool.query(PUT_BACK).catch((error) => {
      if (error.code !== LOCK_NOT_AVAILABLE) throw error;
    }),
  );
}
