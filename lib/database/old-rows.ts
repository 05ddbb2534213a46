import type { RetentionKind } from '../config/read-retention.ts';
import { type Executor, query, type Sql } from '../sql.ts';

/** A table whose old rows are deleted, and how its owner deletes them. */
export interface OldRows {
  table: string;
  retention: RetentionKind;
  /**
   * Deletes, in a transaction of its own, the next old rows that nothing needs anymore, oldest first. Rows that others are
   * working on are skipped (`skip locked`), so that two workers never wait for each other.
   * @returns a row for each row after `after` that it read, deleted or not.
   */
  step(old: OldRowsStep): Sql;
}

interface OldRowsStep {
  before: Date;
  limit: number;
  /** The last row of the previous step, for tables in which some old rows stay. */
  after: RowPosition;
}

interface RowPosition {
  at: string;
  id: number;
}

/** Rows of one step, and steps of one job. The rest is left to another job, so that a worker can stop. */
const STEP_ROWS = 300;
const STEPS = 200;
const DAY_MS = 86_400_000;

/** Deletes rows that are older than this many days. @returns whether more may be left for another job. */
export async function removeOldRowsOf(db: Executor, { step }: OldRows, days: number, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - days * DAY_MS);
  let after: RowPosition = { at: '-infinity', id: 0 };
  for (let steps = 0; steps < STEPS; steps++) {
    const rows = await query<Partial<RowPosition>>(db, step({ before, limit: STEP_ROWS, after }));
    if (rows.length < STEP_ROWS) return false;
    const { at = after.at, id = after.id } = rows.at(-1) ?? {};
    after = { at, id };
  }
  return true;
}
