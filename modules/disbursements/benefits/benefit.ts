import { type Sql, sql } from '@case-platform/lib/sql';
import { BANK_ZONE } from '../../../words/bank-days.ts';

/** A contract limit applies to the whole case, or to each month. */
export const BENEFIT_PERIODS = ['case', 'month'] as const;
export type BenefitPeriod = (typeof BENEFIT_PERIODS)[number];

/** A contract limit for one category (CONTRACT-1). */
export interface Benefit {
  /** Up to 100 characters; requests with this category count against it, without regard to case. */
  category: string;
  period: BenefitPeriod;
  cap_cents: number;
  /** For the people of the case, up to 2,000 characters. */
  note: string;
  /** True if its payments are compensation, which bank files mark as such (NACHA-6). */
  compensation: boolean;
}

/** A condition: a request (the alias of `disbursement_request`) has a category of its case that is marked as compensation. */
export function isCompensation(request: Sql): Sql {
  return sql`coalesce((select b.compensation from case_benefit b where b.case_id = ${request}.case_id
              and lower(b.category) = lower(${request}.category)), false)`;
}

/** The amounts that requests take of a limit in one period. */
export interface BenefitUse {
  /** Of paid requests. */
  used_cents: number;
  /** Of submitted, approved, and batched requests. */
  held_cents: number;
}

const monthOf = (moment: Sql) => sql`date_trunc('month', ${moment} at time zone ${BANK_ZONE})`;

/**
 * The amounts that requests take of the limit `b` in the period of a given time, as `(used_cents, held_cents)`. All figures about
 * contract limits must come from here. A request counts in the month in which it was sent, so that it never moves to another
 * month before it is paid (CONTRACT-2). Drafts and denied, cancelled, or returned requests take nothing.
 * @param exceptId the id of a request that is left out.
 */
export function benefitUse(moment: Sql, exceptId = sql`null::bigint`): Sql {
  return sql`select coalesce(sum(d.amount_cents) filter (where d.status = 'paid'), 0)::bigint as used_cents,
                    coalesce(sum(d.amount_cents) filter (where d.status <> 'paid'), 0)::bigint as held_cents
               from disbursement_request d
              where d.case_id = b.case_id and lower(d.category) = lower(b.category)
                and d.status in ('submitted', 'approved', 'batched', 'paid') and d.id is distinct from ${exceptId}
                and (b.period = 'case' or ${monthOf(sql`d.submitted_at`)} = ${monthOf(moment)})`;
}
