import assert from 'node:assert/strict';
import type { Database, Transaction } from '@case-platform/lib/database';
import type pg from 'pg';
import { eventually } from './eventually.ts';

/**
 * Runs `second` while `first` is done and its transaction is still open, and requires `second` to wait for its end.
 * @returns what becomes of `second`.
 */
export async function runOverlapping<Result>(
  { db, pool }: { db: Database; pool: Pick<pg.Pool, 'query'> },
  first: (tx: Transaction) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  const [running] = await db.transaction(async (tx) => {
    await first(tx);
    const begun = second();
    await untilWaiting(pool, [begun]);
    // In an array, because it ends only after this transaction.
    return [begun] as const;
  });
  return running;
}

/** Requires all of these to wait for a lock, and fails as soon as one ends instead. Nothing else of the database may wait. */
export async function untilWaiting(pool: Pick<pg.Pool, 'query'>, begun: readonly Promise<unknown>[]): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const wait = eventually('all wait for a lock', async () => (await pool.query(waiting)).rowCount === begun.length);
  const ended = begun.map((one) => one.then(() => 'it did not wait'));
  assert.equal(await Promise.race([wait, ...ended]), true);
}

/**
 * Runs `work` with a connection in an open transaction, which ends with `work` unless it was committed before: if `work` fails,
 * nothing waits for its locks forever, and the pool can close.
 */
export async function inOpenTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}
