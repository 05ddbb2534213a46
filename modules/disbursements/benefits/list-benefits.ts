import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type Benefit, type BenefitUse, benefitUse } from './benefit.ts';

/** A contract limit with its figures for the case, or for the current month. */
export interface BenefitNow extends Benefit, BenefitUse {
  /** Never below zero, although more than the limit may be used. */
  left_cents: number;
}

/** Lists a case's contract limits by category (CONTRACT-2). The caller must have checked access to the case. */
export function listBenefits(db: Executor, caseId: number, now: Date): Promise<BenefitNow[]> {
  return query<BenefitNow>(
    db,
    sql`select b.category, b.period, b.cap_cents, b.note, b.compensation, use.used_cents, use.held_cents,
               greatest(b.cap_cents - use.used_cents - use.held_cents, 0) as left_cents
          from case_benefit b cross join lateral (${benefitUse(sql`${now}::timestamptz`)}) use
         where b.case_id = ${caseId} order by lower(b.category)`,
  );
}
