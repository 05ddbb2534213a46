import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { type CaseReader, leftOf } from '@case-platform/modules/cases';
import { balanceIsVisible, hiddenBalanceError } from '@case-platform/modules/ledger';
import { bankDayOf } from '@case-platform/words/bank-days';

interface ProjectedMonth {
  /** `YYYY-MM`. */
  month: string;
  /** Payments planned for the month; overdue ones count in the first month. */
  planned_cents: number;
  /** The amount available at the end of the month; negative where money is missing. */
  available_cents: number;
}

/** The one figure that every page, mail, and API answer shows for a case that runs short (PROJECTION-2). */
export interface Shortfall {
  /** The first month, `YYYY-MM`, that the money does not cover; it may come after the projected months. */
  month: string;
  /** The deposit that covers the whole plan. */
  missing_cents: number;
}

export interface Projection {
  data: ProjectedMonth[];
  shortfall: Shortfall | null;
}

interface Plan {
  available_cents: number;
  /** Months with planned payments, in order. */
  months: { month: string; planned_cents: number }[];
}

interface Row {
  case_id: number;
  available_cents: number;
  month: string | null;
  planned_cents: number | null;
}

export const PROJECTED_MONTHS = 12;

/**
 * The available money of a case, less what is planned, month by month (PROJECTION-1). Money that is already reserved is no longer
 * available, and is not subtracted a second time.
 * @throws {NotFoundError} @throws {ForbiddenError} for readers who may not see the case's balance.
 */
export async function getCaseProjection(
  db: Executor,
  reader: CaseReader,
  caseId: number,
  { months = PROJECTED_MONTHS, now }: { months?: number | undefined; now: Date },
): Promise<Projection> {
  const plans = await listPlans(db, sql`c.id = ${caseId} and ${balanceIsVisible(reader)}`, now);
  const plan = plans.get(caseId);
  if (plan === undefined) throw await hiddenBalanceError(db, reader, caseId);
  return { data: monthsOf(plan, monthsFrom(monthOf(now), months)), shortfall: shortfallOf(plan) };
}

/** The shortfalls of these cases. Access is not checked: the caller has already selected the cases. */
export async function listShortfalls(
  db: Executor,
  caseIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, Shortfall>> {
  const plans = await listPlans(db, sql`c.id = any(${caseIds}::bigint[])`, now);
  return new Map(
    [...plans].flatMap(([id, plan]) => {
      const shortfall = shortfallOf(plan);
      return shortfall === null ? [] : [[id, shortfall]];
    }),
  );
}

/** Reads what is available and what is planned in each month, however far ahead. Overdue payments count in the current month. */
async function listPlans(db: Executor, condition: Sql, now: Date): Promise<Map<number, Plan>> {
  const rows = await query<Row>(
    db,
    sql`select c.id as case_id, money.cents as available_cents, planned.month, planned.cents as planned_cents
          from case_file c
          cross join lateral (
            select coalesce(-sum(b.amount_cents), 0)::bigint as cents
              from ledger_balance b where b.case_id = c.id and b.account = 'funds') money
          left join lateral (
            select greatest(to_char(s.due_date, 'YYYY-MM'), ${monthOf(now)}) as month, sum(${leftOf(sql`s`)})::bigint as cents
              from scheduled_payment s
             where s.case_id = c.id and s.status = 'planned' and c.status not in ('closed', 'cancelled')
               and ${leftOf(sql`s`)} > 0
             group by 1) planned on true
         where ${condition} order by c.id, planned.month`,
  );
  return new Map([...Map.groupBy(rows, ({ case_id }) => case_id)].map(([id, own]) => [id, planOf(own)]));
}

function planOf(rows: readonly Row[]): Plan {
  const months = rows.flatMap(({ month, planned_cents }) =>
    month === null || planned_cents === null ? [] : [{ month, planned_cents }],
  );
  return { available_cents: rows[0]?.available_cents ?? 0, months };
}

function monthsOf({ available_cents, months }: Plan, shown: readonly string[]): ProjectedMonth[] {
  let balance = available_cents;
  return shown.map((month) => {
    const planned_cents = months.find((one) => one.month === month)?.planned_cents ?? 0;
    balance -= planned_cents;
    return { month, planned_cents, available_cents: balance };
  });
}

/** A plan only takes money away, so its deficit is largest after the last month (PROJECTION-2). */
function shortfallOf({ available_cents, months }: Plan): Shortfall | null {
  let balance = available_cents;
  let short: string | null = null;
  for (const { month, planned_cents } of months) {
    balance -= planned_cents;
    if (balance < 0) short ??= month;
  }
  return short === null ? null : { month: short, missing_cents: -balance };
}

function monthOf(now: Date): string {
  return bankDayOf(now).slice(0, 7);
}

function monthsFrom(month: string, count: number): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Array.from({ length: count }, (_, at) => new Date(Date.UTC(year, number - 1 + at)).toISOString().slice(0, 7));
}
