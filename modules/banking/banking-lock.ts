import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

const BANKING_LOCK = 7_214_010_012;

/**
 * One change of batches and bank accounts after the other, for the rest of the transaction: a batch holds requests,
 * accounts and trace numbers at once, and no two orders of locking them can then meet.
 */
export async function lockBanking(tx: Executor): Promise<void> {
  await query(tx, sql`select pg_advisory_xact_lock(${BANKING_LOCK})`);
}
