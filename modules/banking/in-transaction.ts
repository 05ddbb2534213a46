import type { Database, DatabaseTransaction } from '@case-platform/db';

/** Runs `work` in the transaction that is open already, or in one of its own. */
export function inTransaction<Result>(
  db: Database,
  work: (tx: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db as DatabaseTransaction) : db.transaction().execute(work);
}
