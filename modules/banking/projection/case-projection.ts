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

/** The first month that the money does not cover. */
export interface Shortfall {
  month: string;
  missing_cents: number;
}

export interface Projection {
  data: ProjectedMonth[];
  shortfall: Shortfall | null;
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
  const projections = await project(db, sql`c.id = ${caseId} and ${balanceIsVisible(reader)}`, { months, now });
  const projection = projections.get(caseId);
  if (projection === undefined) throw await hiddenBalanceError(db, reader, caseId);
  return projection;
}

/** The shortfalls of these cases. Access is not checked: the caller has already selected the cases. */
export async function listShortfalls(
  db: Executor,
  caseIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, Shortfall>> {
  const projections = await project(db, sql`c.id = any(${caseIds}::bigint[])`, { months: PROJECTED_MONTHS, now });
  return new Map([...projections].flatMap(([id, { shortfall }]) => (shortfall === null ? [] : [[id, shortfall]])));
}

async function project(
  db: Executor,
  condition: Sql,
  { months, now }: { months: number; now: Date },
): Promise<Map<number, Projection>> {
  const shown = monthsFrom(bankDayOf(now).slice(0, 7), months + 1);
  const [first = '', end = ''] = [shown[0], shown.pop()];
  const rows = await query<Row>(
    db,
    sql`select c.id as case_id, money.cents as available_cents, planned.month, planned.cents as planned_cents
          from case_file c
          cross join lateral (
            select coalesce(-sum(b.amount_cents), 0)::bigint as cents
              from ledger_balance b where b.case_id = c.id and b.account = 'funds') money
          left join lateral (
            select greatest(to_char(s.due_date, 'YYYY-MM'), ${first}) as month, sum(${leftOf(sql`s`)})::bigint as cents
              from scheduled_payment s
             where s.case_id = c.id and s.status = 'planned' and s.due_date < ${`${end}-01`}::date
               and c.status not in ('closed', 'cancelled')
               and ${leftOf(sql`s`)} > 0
             group by 1) planned on true
         where ${condition}`,
  );
  return new Map([...Map.groupBy(rows, ({ case_id }) => case_id)].map(([id, own]) => [id, projectionOf(own, shown)]));
}

function projectionOf(rows: readonly Row[], months: readonly string[]): Projection {
  let left = rows[0]?.available_cents ?? 0;
  const data = months.map((month) => {
    const planned_cents = rows.find((row) => row.month === month)?.planned_cents ?? 0;
    left -= planned_cents;
    return { month, planned_cents, available_cents: left };
  });
  const short = data.find(({ available_cents }) => available_cents < 0);
  return {
    data,
    shortfall: short === undefined ? null : { month: short.month, missing_cents: -short.available_cents },
  };
}

function monthsFrom(month: string, count: number): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Array.from({ length: count }, (_, at) => new Date(Date.UTC(year, number - 1 + at)).toISOString().slice(0, 7));
}
