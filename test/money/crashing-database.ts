import { createDatabase, type Database } from '@case-platform/lib/database';
import type { LimitedClient } from '@case-platform/lib/database/database-client';
import type pg from 'pg';

/** The error of a statement whose connection ended, as an application sees it (SQLSTATE 57P01). */
const crash = () => Object.assign(new Error('terminating connection due to a crash of the test'), { code: '57P01' });

/** Controls connections that can break between any two statements of a command. */
export interface Crashes {
  /** The database behind a pool, as an application sees it that may crash anywhere. */
  databaseOf(pool: pg.Pool): Database;
  /**
   * Breaks the connection at a later statement.
   * @param statements how many statements run before it.
   * @param isDone whether the server runs the statement before the connection breaks.
   */
  crashAfter(statements: number, isDone: boolean): void;
  /** Cancels the crash. @returns true if it already happened. */
  calm(): boolean;
}

export function createCrashes(): Crashes {
  let remaining = Number.POSITIVE_INFINITY;
  let isDone = false;
  let hasCrashed = false;

  const watched = (client: pg.PoolClient): pg.PoolClient => {
    const run = async (statement: pg.QueryConfig) => {
      remaining -= 1;
      if (remaining !== -1) return client.query(statement);
      hasCrashed = true;
      if (isDone) await client.query(statement);
      (client as unknown as LimitedClient).breakOff(crash());
      throw crash();
    };
    return { query: run, release: client.release.bind(client) } as unknown as pg.PoolClient;
  };

  return {
    databaseOf: (pool) => createDatabase({ connect: async () => watched(await pool.connect()) } as Pick<pg.Pool, 'connect'>),
    crashAfter(statements, done) {
      remaining = statements;
      isDone = done;
      hasCrashed = false;
    },
    calm() {
      remaining = Number.POSITIVE_INFINITY;
      return hasCrashed;
    },
  };
}
