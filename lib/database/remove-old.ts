import type { Kept } from '../config/read-retention.ts';
import { type Executor, query, type Sql } from '../sql.ts';

/** A table of which old rows are removed, as its owner knows how. */
export interface OldRows {
  table: string;
  kept: Kept;
  /**
   * One step, in a transaction of its own: of the next rows from before then, oldest first, those go that nothing needs any
   * more. Rows that somebody else works at are left alone (`skip locked`), so that two workers never wait for each other.
   * @returns the rows that it looked at, `after` the last of those of the step before.
   */
  step(old: Old): Sql;
}

interface Old {
  before: Date;
  most: number;
  /** Where the step before has ended, for tables of which some old rows stay. */
  after: Place;
}

interface Place {
  at: string;
  id: number;
}

/** Rows of one step, and steps that one job takes: what is left is another job's, so that a worker can stop. */
const STEP_ROWS = 300;
const STEPS = 200;
const DAY_MS = 86_400_000;

/** Removes what is older than so many days. @returns whether there may be more than one job should do. */
export async function removeOld(db: Executor, { step }: OldRows, days: number, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - days * DAY_MS);
  let after: Place = { at: '-infinity', id: 0 };
  for (let steps = 0; steps < STEPS; steps++) {
    const looked = await query<Partial<Place>>(db, step({ before, most: STEP_ROWS, after }));
    if (looked.length < STEP_ROWS) return false;
    const { at = after.at, id = after.id } = looked.at(-1) ?? {};
    after = { at, id };
  }
  return true;
}
