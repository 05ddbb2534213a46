import { invalid } from '@case-platform/lib/errors';
import { type Sql, sql } from '@case-platform/lib/sql';
import { bankDayOf } from '@case-platform/words/bank-days';
import { DEFAULT_PERIOD_DAYS, daysBetween, parseDay } from '@case-platform/words/days';
import { PERIOD_MAX_DAYS } from '@case-platform/words/limits';

/** The first and last day of a statement, both included: `YYYY-MM-DD`, in the bank's time zone (New York). */
export interface Period {
  from: string;
  to: string;
}

/**
 * The requested period, or the last 90 days.
 * @throws {InvalidInputError} for a day that does not exist or is before 1970, for days in the wrong order, and for more than 366
 * of them (STATEMENT-2).
 */
export function readPeriod({ from, to }: Partial<Period>, now: Date): Period {
  requireDay('from', from);
  requireDay('to', to);
  const last = to ?? latest(bankDayOf(now), from);
  const period = { from: from ?? daysBefore(last, DEFAULT_PERIOD_DAYS - 1), to: last };
  const days = daysBetween(period.from, period.to) + 1;
  if (days < 1) throw invalid('to', 'The last day can’t be before the first.');
  if (days > PERIOD_MAX_DAYS) throw invalid('to', `Choose at most ${PERIOD_MAX_DAYS} days.`);
  return period;
}

function requireDay(field: string, day: string | undefined): void {
  if (day === undefined) return;
  if (parseDay(day) === undefined) throw invalid(field, 'Enter a date that exists.');
  if (day < '1970-01-01') throw invalid(field, 'Choose a day in 1970 or later.');
}

/** An SQL expression for the start of a day in New York, of type `timestamptz`. @param shift days later. */
export function startOfBankDay(day: string, shift = 0): Sql {
  return sql`((${day}::date + ${shift}::int)::timestamp at time zone 'America/New_York')`;
}

/** An SQL expression for the day of a moment in New York: `YYYY-MM-DD`. */
export function bankDaySql(moment: Sql): Sql {
  return sql`(${moment} at time zone 'America/New_York')::date::text`;
}

function latest(today: string, from: string | undefined): string {
  return from !== undefined && from > today ? from : today;
}

function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * 86_400_000).toISOString().slice(0, 10);
}
