import type { Transaction } from '@case-platform/lib/database';
import type { Twins } from './seed-twins.ts';

/** A command that is run on one of the twins, once or several times in a row. */
export interface Command {
  name: string;
  /** Changes the usual state of the twins before changes are recorded. */
  prepare?: (tx: Transaction, twins: Twins) => Promise<unknown>;
  work: (tx: Transaction, twins: Twins, round: number) => Promise<unknown>;
  /**
   * The rows that each run changes, as `RowChanges` writes them. A rejection is the line `refused: code`. Without them, values.txt
   * says what one run changes.
   */
  expected?: string[][];
  /** The number of runs if `expected` does not say it; 1 if unset. */
  runs?: number;
}
