import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** The money of a case in cents; `funded = available + held + paid`. */
export interface CaseBalance {
  /** Deposits minus refunds. */
  funded_cents: number;
  /** Reserved for approved requests that are not paid yet (FUNDS-1). */
  held_cents: number;
  /** Payments minus returned payments. */
  paid_cents: number;
  available_cents: number;
}

/**
 * Reads the case's balances, which its postings maintain (LEDGER-1; db/migrations/0001_baseline.sql). The caller must have
 * checked access to the case.
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
