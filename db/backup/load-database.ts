import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { migrate } from '../migrate.ts';
import { migrationFiles } from '../migration-files.ts';
import type { DatabaseDump, DumpedTable } from './dump-database.ts';
import { listTables } from './tables.ts';

const BYTES_A_STATEMENT = 1_000_000;
const ROWS_A_STATEMENT = 1000;

/** Objects that someone created in a database, without those of the server and of extensions. */
const OWN_OBJECTS = `
  select from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp%'
     and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
   limit 1`;

export async function isEmptyDatabase(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(OWN_OBJECTS);
  return rows.length === 0;
}

/** True if this version has every migration of a dump, unchanged. */
export function hasMigrationsOf({ migrations }: DatabaseDump): boolean {
  const ours = new Map(migrationFiles().map(({ name, checksum }) => [name, checksum]));
  return migrations.every(({ name, checksum }) => ours.get(name) === checksum);
}

/**
 * Loads a dump into an empty database: its schema first, then all rows in one transaction, in which no trigger fires and the
 * foreign keys are added last. The rights of the schema's owner are enough (BACKUP-2).
 * @param pool of the role that will own the schema.
 */
export async function loadDatabase(pool: pg.Pool, dump: DatabaseDump, folder: string): Promise<void> {
  await migrate(pool, new Set(dump.migrations.map(({ name }) => name)));
  const client = await pool.connect();
  try {
    await client.query('begin');
    await requireSameTables(client, dump.tables);
    const names = dump.tables.map(({ name }) => name);
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    const foreignKeys = await dropForeignKeys(client, names);
    // Migrations also write rows.
    await client.query(`truncate ${names.join(', ')}`);
    for (const table of dump.tables) await loadTable(client, table, folder);
    for (const { name, last_value } of dump.sequences) await client.query('select setval($1, $2)', [name, last_value]);
    for (const statement of foreignKeys) await client.query(statement);
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    await client.query('commit');
    await client.query('analyze');
  } finally {
    // This also ends a transaction that failed.
    client.release(true);
  }
}

async function requireSameTables(client: pg.ClientBase, tables: DumpedTable[]): Promise<void> {
  const outline = ({ name, columns }: { name: string; columns: { name: string }[] }) =>
    `${name} (${columns.map((column) => column.name).sort()})`;
  const here = new Set((await listTables(client)).map(outline));
  const others = tables.map(outline).filter((table) => !here.has(table));
  if (others.length > 0) throw new Error(`The backup has tables that this version does not have: ${others.join(', ')}.`);
}

/** @returns the statements that make them again. */
async function dropForeignKeys(client: pg.ClientBase, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
       from pg_constraint where contype = 'f' and conrelid = any($1::text[]::regclass[])`,
    [tables],
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ add }) => add);
}

async function loadTable(client: pg.ClientBase, table: DumpedTable, folder: string): Promise<void> {
  const columns = table.columns.map(({ name }) => name).join(', ');
  const values = table.columns.map(({ type }, at) => `(line ->> ${at})::${type}`).join(', ');
  const statement = `insert into ${table.name} (${columns}) overriding system value
                     select ${values} from jsonb_array_elements($1::jsonb) line`;
  let count = 0;
  for await (const lines of readBatches(join(folder, table.file))) {
    await client.query(statement, [`[${lines.join(',')}]`]);
    count += lines.length;
  }
  if (count !== table.rows) throw new Error(`${table.file} holds ${count} rows instead of ${table.rows}.`);
}

async function* readBatches(path: string): AsyncGenerator<string[]> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  let lines: string[] = [];
  let bytes = 0;
  for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY })) {
    lines.push(line);
    bytes += line.length;
    if (bytes < BYTES_A_STATEMENT && lines.length < ROWS_A_STATEMENT) continue;
    yield lines;
    [lines, bytes] = [[], 0];
  }
  if (lines.length > 0) yield lines;
}
