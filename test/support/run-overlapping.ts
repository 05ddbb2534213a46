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
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const [running] = await db.transaction(async (tx) => {
    await first(tx);
    const begun = second();
    const waits = eventually('the second waits', async () => (await pool.query(waiting)).rowCount === 1);
    assert.equal(await Promise.race([waits, begun.then(() => 'it did not wait')]), true);
    // In an array, because it ends only after this transaction.
    return [begun] as const;
  });
  return running;
}
