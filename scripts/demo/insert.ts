import type { Transaction } from '@case-platform/lib/database';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';

export type Row = Readonly<Record<string, SqlParameter>>;

/** The rows of one statement. Each value is a parameter, and PostgreSQL accepts 65,535 of them. */
const AT_ONCE = 500;

/** Inserts rows of the demo, all with the same columns. */
export async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  for (const some of inParts(rows)) await query(tx, insertion(table, some));
}

/** Inserts rows of the demo, all with the same columns. @returns their ids, in the order of the rows. */
export async function insertNumbered(tx: Transaction, table: string, rows: readonly Row[]): Promise<number[]> {
  const ids: number[] = [];
  for (const some of inParts(rows)) {
    const made = await query<{ id: number }>(tx, sql`${insertion(table, some)} returning id`);
    ids.push(...made.map(({ id }) => id).sort((a, b) => a - b));
  }
  return ids;
}

/** Inserts one row of the demo. @returns its id. */
export async function insertRow(tx: Transaction, table: string, row: Row): Promise<number> {
  const [id] = await insertNumbered(tx, table, [row]);
  if (id === undefined) throw new Error(`nothing was inserted into ${table}`);
  return id;
}

function inParts(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, at) => rows.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
}

function insertion(table: string, rows: readonly Row[]) {
  const names = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${listOf(names.map((name) => sql`${row[name] ?? null}`))})`);
  return sql`insert into ${trustedSql(table)} (${trustedSql(names.join(', '))}) values ${listOf(values)}`;
}
