import type { Database, Transaction } from '@case-platform/lib/database';

/** Runs work in a transaction that is rolled back. @returns its result. @throws whatever the work throws. */
export async function undone<Result>(db: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const end = new Error('undone');
  const results: Result[] = [];
  const inTransaction = async (tx: Transaction) => {
    results.push(await work(tx));
    throw end;
  };
  await db.transaction(inTransaction).catch((error) => {
    if (error !== end) throw error;
  });
  return results[0] as Result;
}
