import { type Sql, sql } from '@case-platform/lib/sql';
import { BANK_ZONE } from '../../../words/bank-days.ts';

/** What a cap is counted over: the whole case, or each month of its own. */
export const BENEFIT_PERIODS = ['case', 'month'] as const;
export type BenefitPeriod = (typeof BENEFIT_PERIODS)[number];

/** What the contract allows for one category of cost. */
export interface Benefit {
  /** Up to 100 characters; requests of this category count against it, without regard to capitals. */
  category: string;
  period: BenefitPeriod;
  cap_cents: number;
  /** For the people of the case, up to 2,000 characters. */
  note: string;
}

/** What of a cap is gone in one period. */
export interface BenefitUse {
  /** Paid. */
  used_cents: number;
  /** Asked for, approved or in a batch: not paid yet. */
  held_cents: number;
}

const monthOf = (moment: Sql) => sql`date_trunc('month', ${moment} at time zone ${BANK_ZONE})`;

/**
 * What requests have taken of the benefit `b` in the period that a moment is in, `(used_cents, held_cents)`: of every figure
 * about benefits the only source. A request counts in the month in which it was sent, so that it never moves from one
 * month to another between being asked for and being paid. What is a draft, denied, cancelled or returned takes nothing.
 * @param besides the request that is not counted.
 */
export function benefitUse(moment: Sql, besides = sql`null::bigint`): Sql {
  return sql`select coalesce(sum(d.amount_cents) filter (where d.status = 'paid'), 0)::bigint as used_cents,
                    coalesce(sum(d.amount_cents) filter (where d.status <> 'paid'), 0)::bigint as held_cents
               from disbursement_request d
              where d.case_id = b.case_id and lower(d.category) = lower(b.category)
                and d.status in ('submitted', 'approved', 'batched', 'paid') and d.id is distinct from ${besides}
                and (b.period = 'case' or ${monthOf(sql`d.submitted_at`)} = ${monthOf(moment)})`;
}
