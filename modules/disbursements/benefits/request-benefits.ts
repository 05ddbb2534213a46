import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { contentIsVisible } from '../disbursement-access.ts';
import { type BenefitPeriod, type BenefitUse, benefitUse } from './benefit.ts';

/** The benefit that a request counts against, as the other requests leave it. */
export interface RequestBenefit extends BenefitUse {
  category: string;
  period: BenefitPeriod;
  cap_cents: number;
  /** What is left for this request: the cap without what all others have taken. */
  left_cents: number;
  /** By how much this request goes over what is left; 0 when it does not. */
  over_by_cents: number;
}

/**
 * The benefits of requests, by their ids; none for a category without a benefit, and for what was denied, cancelled or returned,
 * nor for what the reader may not read. A draft is looked at as if it were sent now.
 */
export async function listRequestBenefits(
  db: Executor,
  reader: Pick<User, 'id'>,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, RequestBenefit>> {
  const rows = await query<RequestBenefit & { id: number }>(
    db,
    sql`select r.id, b.category, b.period, b.cap_cents, use.used_cents, use.held_cents, left_cents,
               greatest(r.amount_cents - left_cents, 0) as over_by_cents
          from disbursement_request r
          join case_benefit b on b.case_id = r.case_id and lower(b.category) = lower(r.category)
         cross join lateral (${benefitUse(sql`coalesce(r.submitted_at, ${now}::timestamptz)`, sql`r.id`)}) use
         cross join lateral greatest(b.cap_cents - use.used_cents - use.held_cents, 0) left_cents
         where r.id = any(${ids}::bigint[]) and ${contentIsVisible(reader, sql`r`)}
           and r.status in ('draft', 'submitted', 'approved', 'batched', 'paid')`,
  );
  return new Map(rows.map(({ id, ...benefit }) => [id, benefit]));
}
