import { createDatabase, type Database } from '@case-platform/lib/database';
import type { LimitedClient } from '@case-platform/lib/database/database-client';
import type pg from 'pg';

/** What a statement meets when its connection ends, as far as an application can tell (SQLSTATE 57P01). */
const crash = () => Object.assign(new Error('terminating connection due to a crash of the test'), { code: '57P01' });

/** Connections that can be made to break between any two lines of a command. */
export interface Crashes {
  /** The database behind a pool, as an application sees it whose process may end anywhere. */
  databaseOf(pool: pg.Pool): Database;
  /**
   * Breaks the connection of a statement that is still to come.
   * @param statements how many are let through before it
   * @param isDone whether the server carries it out before nobody hears of it
   */
  crashAfter(statements: number, isDone: boolean): void;
  /** Takes the crash back. @returns whether it has happened. */
  calm(): boolean;
}

export function createCrashes(): Crashes {
  let left = Number.POSITIVE_INFINITY;
  let isDone = false;
  let hasCrashed = false;

  const watched = (client: pg.PoolClient): pg.PoolClient => {
    const ask = async (statement: pg.QueryConfig) => {
      left -= 1;
      if (left !== -1) return client.query(statement);
      hasCrashed = true;
      if (isDone) await client.query(statement);
      (client as unknown as LimitedClient).breakOff(crash());
      throw crash();
    };
    return { query: ask, release: client.release.bind(client) } as unknown as pg.PoolClient;
  };

  return {
    databaseOf: (pool) =>
      createDatabase({ connect: async () => watched(await pool.connect()) } as Pick<pg.Pool, 'connect'>),
    crashAfter(statements, done) {
      left = statements;
      isDone = done;
      hasCrashed = false;
    },
    calm() {
      left = Number.POSITIVE_INFINITY;
      return hasCrashed;
    },
  };
}
