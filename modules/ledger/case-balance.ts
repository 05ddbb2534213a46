import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** The money of a case, in cents: what was paid in is `available + held + paid`. */
export interface CaseBalance {
  /** Paid in, less what was paid back to the parents. */
  funded_cents: number;
  /** Set aside for requests that are approved and not paid yet. */
  held_cents: number;
  /** Paid out, less what the bank has returned. */
  paid_cents: number;
  /** What may still be asked for. */
  available_cents: number;
}

/**
 * From the case's balances, which its postings keep (db/migrations/0001_baseline.sql). The caller has found the case through
 * their own access.
 */
export async function findCaseBalance(db: Executor, caseId: number): Promise<CaseBalance> {
  const [balance] = await query<CaseBalance>(
    db,
    sql`select coalesce(sum(paid_in_cents), 0)::bigint as funded_cents,
               coalesce(-sum(amount_cents) filter (where account = 'held'), 0)::bigint as held_cents,
               coalesce(sum(paid_in_cents - amount_cents) filter (where account = 'cash'), 0)::bigint as paid_cents,
               coalesce(-sum(amount_cents) filter (where account = 'funds'), 0)::bigint as available_cents
          from ledger_balance where case_id = ${caseId}`,
  );
  return balance ?? { funded_cents: 0, held_cents: 0, paid_cents: 0, available_cents: 0 };
}
