import type { RetentionKind } from '../config/read-retention.ts';
import { type Executor, query, type Sql, sql } from '../sql.ts';

/** A table whose old rows are deleted, and how its owner deletes them. */
export interface OldRows {
  table: string;
  retention: RetentionKind;
  /**
   * True for a table with a partition for each month, of which whole months are removed at once. The step deletes what is left of
   * them, in partitions that cannot be dropped yet.
   */
  hasMonths?: true;
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

/** Creates the partitions of the coming months, so that a row always finds its own. */
export async function createMonths(db: Executor, now: Date): Promise<void> {
  await query(db, sql`select from create_months(${now})`);
}

/**
 * Deletes rows that are older than this many days, or that are in a month of which all rows are.
 * @returns whether more may be left for another job.
 */
export async function removeOldRowsOf(db: Executor, rows: OldRows, days: number, now: Date): Promise<boolean> {
  const moment = new Date(now.getTime() - days * DAY_MS);
  if (rows.hasMonths !== true) return removeInSteps(db, rows, moment);
  const month = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()));
  await query(db, sql`select drop_months(${rows.table}, ${month})`);
  return removeInSteps(db, rows, month);
}

async function removeInSteps(db: Executor, { step }: OldRows, before: Date): Promise<boolean> {
  let after: RowPosition = { at: '-infinity', id: 0 };
  for (let steps = 0; steps < STEPS; steps++) {
    const rows = await query<Partial<RowPosition>>(db, step({ before, limit: STEP_ROWS, after }));
    if (rows.length < STEP_ROWS) return false;
    const { at = after.at, id = after.id } = rows.at(-1) ?? {};
    after = { at, id };
  }
  return true;
}
