import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type HashedFile, writeHashedFile } from '@case-platform/lib/hashed-file';
import type pg from 'pg';
import { listMigrations, listSequences, listTables, type TableOutline } from './tables.ts';

/** A database in a folder: one file per table, and what is needed to verify that they are complete. */
export interface DatabaseDump {
  /** The server's version. */
  postgres: string;
  migrations: { name: string; checksum: string }[];
  tables: DumpedTable[];
  sequences: { name: string; last_value: number }[];
}

export interface DumpedTable extends TableOutline, HashedFile {
  file: string;
  rows: number;
}

const ROWS_A_FETCH = 500;

/**
 * Writes every row of every table as it is in this client's snapshot (BACKUP-1): one gzip file per table, with one line per row,
 * which is a JSON array of the columns' texts as PostgreSQL writes and reads them. The embedded PostgreSQL comes without pg_dump,
 * and one of another version rejects the server; this needs neither (docs/records/backups.md).
 * @param client in a transaction that is repeatable read.
 */
export async function dumpDatabase(client: pg.ClientBase, folder: string): Promise<DatabaseDump> {
  // The texts must not depend on the settings of this server.
  await client.query(`set local datestyle = 'ISO'; set local bytea_output = 'hex'; set local extra_float_digits = 1`);
  const tables: DumpedTable[] = [];
  for (const table of await listTables(client)) tables.push(await dumpTable(client, table, folder));
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return {
    postgres: rows[0]?.server_version ?? '',
    migrations: await listMigrations(client),
    tables,
    // This comes after the rows: sequences are in no snapshot, and may be ahead of the rows but never behind them.
    sequences: await listSequences(client),
  };
}

async function dumpTable(client: pg.ClientBase, table: TableOutline, folder: string): Promise<DumpedTable> {
  const file = `${table.name.replaceAll('"', '')}.jsonl.gz`;
  const texts = table.columns.map(({ name }) => `${name}::text`).join(', ');
  let count = 0;
  async function* lines() {
    await client.query(
      `declare dumped no scroll cursor for select array_to_json(array[${texts}])::text as line from ${table.name}`,
    );
    for (;;) {
      const { rows } = await client.query<{ line: string }>(`fetch ${ROWS_A_FETCH} from dumped`);
      if (rows.length === 0) break;
      count += rows.length;
      yield `${rows.map(({ line }) => line).join('\n')}\n`;
    }
    await client.query('close dumped');
  }
  const writtenFile = await writeHashedFile(join(folder, file), Readable.from(lines()), createGzip());
  return { ...table, file, rows: count, ...writtenFile };
}
