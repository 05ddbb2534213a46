import type { Transaction } from '@case-platform/lib/database';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';

type Row = Readonly<Record<string, SqlParameter>>;

/** Inserts rows of the demo, all with the same columns. */
export async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  await query(tx, insertion(table, rows));
}

/** Inserts one row of the demo. @returns its id. */
export async function insertRow(tx: Transaction, table: string, row: Row): Promise<number> {
  const [inserted] = await query<{ id: number }>(tx, sql`${insertion(table, [row])} returning id`);
  if (inserted === undefined) throw new Error(`nothing was inserted into ${table}`);
  return inserted.id;
}

function insertion(table: string, rows: readonly Row[]) {
  const names = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${listOf(names.map((name) => sql`${row[name] ?? null}`))})`);
  return sql`insert into ${trustedSql(table)} (${trustedSql(names.join(', '))}) values ${listOf(values)}`;
}
