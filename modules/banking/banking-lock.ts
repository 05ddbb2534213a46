import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

const BANKING_LOCK = 7_214_010_012;

/**
 * Runs changes of batches and bank accounts one after another until the transaction ends. A batch involves requests, accounts,
 * and trace numbers, and two transactions could otherwise lock them in different orders.
 */
export async function lockBanking(tx: Executor): Promise<void> {
  await query(tx, sql`select pg_advisory_xact_lock(${BANKING_LOCK})`);
}
