import { type Executor, run } from '@case-platform/lib/database';

const BANKING_LOCK = 7_214_010_012;

/**
 * One change of batches and bank accounts after the other, for the rest of the transaction: a batch holds requests,
 * accounts and trace numbers at once, and no two orders of locking them can then meet.
 */
export async function lockBanking(tx: Executor): Promise<void> {
  await run(tx, 'select pg_advisory_xact_lock($1)', [BANKING_LOCK]);
}
