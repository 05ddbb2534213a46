import type { Transaction } from '@case-platform/lib/database';
import type { Twins } from './seed-twins.ts';

/** A command that is run on one of the twins, once or several times in a row. */
export interface Command {
  name: string;
  /** Changes the usual state of the twins before changes are recorded. */
  prepare?: (tx: Transaction, twins: Twins) => Promise<unknown>;
  work: (tx: Transaction, twins: Twins, round: number) => Promise<unknown>;
  /** 1 if unset. */
  runs?: number;
}
