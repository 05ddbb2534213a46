import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { caseIsVisible } from '@case-platform/modules/cases';
import { contentIsVisible } from '../disbursement-access.ts';
import { type BenefitPeriod, type BenefitUse, benefitUse } from './benefit.ts';

/** The contract limit of a request, and how much of it other requests leave (CONTRACT-3). */
export interface RequestBenefit extends BenefitUse {
  category: string;
  period: BenefitPeriod;
  cap_cents: number;
  /** The limit minus what all other requests take; never below zero. */
  left_cents: number;
  /** The excess of this request over `left_cents`; 0 if the request is within it. */
  over_by_cents: number;
}

/**
 * Reads the contract limits of requests by id. There is no entry for a category without a limit, for requests that are denied,
 * cancelled, or returned, and for those that the reader may not read, or only pays (CASE-2). A draft counts as if it were sent now.
 */
export async function listRequestBenefits(
  db: Executor,
  reader: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, RequestBenefit>> {
  const rows = await query<RequestBenefit & { id: number }>(
    db,
    sql`select r.id, b.category, b.period, b.cap_cents, use.used_cents, use.held_cents, left_cents,
               greatest(r.amount_cents - left_cents, 0) as over_by_cents
          from disbursement_request r
          join case_file c on c.id = r.case_id and ${caseIsVisible(reader)}
          join case_benefit b on b.case_id = r.case_id and lower(b.category) = lower(r.category)
         cross join lateral (${benefitUse(sql`coalesce(r.submitted_at, ${now}::timestamptz)`, sql`r.id`)}) use
         cross join lateral greatest(b.cap_cents - use.used_cents - use.held_cents, 0) left_cents
         where r.id = any(${ids}::bigint[]) and ${contentIsVisible(reader, sql`r`)}
           and r.status in ('draft', 'submitted', 'approved', 'batched', 'paid')`,
  );
  return new Map(rows.map(({ id, ...benefit }) => [id, benefit]));
}
