import { migrate } from '@case-platform/db/migrate';
import { createPool } from '@case-platform/lib/database';
import type pg from 'pg';

const TABLES = `
  select c.relname as name, (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;

/**
 * What a dump takes from one database to another, as pg_dump does, which the packages do not bring: the schema, every row of
 * every table without generated columns, where the sequences stand; triggers rest meanwhile.
 * @param from as its owner. @param to an empty database, as its owner.
 */
export async function copyAsDump(from: pg.Pool, to: string): Promise<void> {
  const pool = createPool({ url: to, name: 'restore', max: 2 });
  await migrate(pool);
  const client = await pool.connect();
  const { rows: tables } = await from.query<{ name: string; columns: string }>(TABLES);
  await client.query('set session_replication_role = replica');
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  for (const { name, columns } of tables) {
    const { rows } = await from.query(
      `select coalesce(json_agg(t), '[]') as rows from (select ${columns} from ${name}) t`,
    );
    await client.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1)`,
      [JSON.stringify(rows[0]?.rows)],
    );
  }
  const { rows: sequences } = await from.query(
    `select sequencename as name, last_value from pg_sequences where schemaname = 'public' and last_value is not null`,
  );
  for (const { name, last_value } of sequences) await client.query('select setval($1, $2)', [name, last_value]);
  client.release(true);
  await pool.end();
}
