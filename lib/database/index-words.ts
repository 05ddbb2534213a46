import type { Database } from '../database.ts';
import { query, type Sql, trustedSql } from '../sql.ts';
import { SEARCH_VERSION, searchVector } from './search-vector.ts';

/** A condition on rows whose words have another form. It names the version as the indexes of these rows do. */
export const TO_INDEX = trustedSql(`search_version < ${SEARCH_VERSION}`);

/** A table whose texts are searched, and how its owner rewrites the words of rows that have another form of them (API-6). */
export interface SearchedTable {
  /**
   * Reads and locks the newest of these rows, each with the `text` to index and, if it has them, the `name` of a person (weight A)
   * and an amount.
   */
  read(limit: number): Sql;
  /** Stores their words. @param rows JSON: a list of `{id, search}`. */
  store(rows: string): Sql;
}

interface SearchedRow {
  id: number;
  text: string;
  name?: string;
  amount_cents?: number;
}

/** Rows of one step, which are locked for some milliseconds, and steps of one job, so that a worker can stop. */
const STEP_ROWS = 300;
const STEPS = 200;

/** Rewrites the words of rows step by step, while people write. @returns whether more rows are left for another job. */
export async function indexWords(db: Database, tables: readonly SearchedTable[]): Promise<boolean> {
  let isMore = false;
  for (const table of tables) isMore = (await indexTable(db, table)) || isMore;
  return isMore;
}

async function indexTable(db: Database, { read, store }: SearchedTable): Promise<boolean> {
  for (let step = 0; step < STEPS; step++) {
    const count = await db.transaction(async (tx) => {
      const rows = await query<SearchedRow>(tx, read(STEP_ROWS));
      const words = rows.map(({ id, text, name = '', amount_cents }) => {
        const named = { text: name, weight: 'A' } as const;
        const search = amount_cents === undefined ? searchVector(named, text) : searchVector(named, text, amount_cents);
        return { id, search };
      });
      if (words.length > 0) await query(tx, store(JSON.stringify(words)));
      return words.length;
    });
    if (count < STEP_ROWS) return false;
  }
  return true;
}
