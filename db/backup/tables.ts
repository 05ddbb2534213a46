import type pg from 'pg';

/** A table in a dump. */
export interface TableOutline {
  /** With its schema, as SQL names it. */
  name: string;
  columns: { name: string; type: string }[];
}

/**
 * A dump omits tables that only migrations write, and unlogged tables, which a crash would empty as well. The rows of partitions are
 * those of their table, and find their partitions again when they are loaded.
 */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name,
         json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod))
                  order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and c.relpersistence = 'p'
     and c.relname not in ('schema_migration', 'migrations')
   group by n.nspname, c.relname order by n.nspname, c.relname`;

/** Lists every table, with the columns that are not generated. */
export async function listTables(client: pg.ClientBase): Promise<TableOutline[]> {
  const { rows } = await client.query<TableOutline>(TABLES);
  return rows;
}

/** Lists the last value of each sequence that was used. */
export async function listSequences(client: pg.ClientBase): Promise<{ name: string; last_value: number }[]> {
  const { rows } = await client.query<{ name: string; last_value: number }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value from pg_sequences
      where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1`,
  );
  return rows;
}

export async function listMigrations(client: pg.ClientBase): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration order by name',
  );
  return rows;
}
