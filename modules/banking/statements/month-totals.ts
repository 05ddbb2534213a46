import type { Period } from './period.ts';

/** The total of a month in a statement that covers more than one (STATEMENT-7). */
export interface MonthTotal {
  /** `YYYY-MM`. */
  month: string;
  in_cents: number;
  /** Zero or negative. */
  out_cents: number;
}

/**
 * Totals the lines of each month in which money moved, oldest first; none for a period within one month, whose total is that of
 * the statement. @param lines in the order of their dates.
 */
export function totalMonths(lines: readonly { date: string; amount_cents: number }[], { from, to }: Period): MonthTotal[] {
  if (monthOf(from) === monthOf(to)) return [];
  const totals = new Map<string, MonthTotal>();
  for (const { date, amount_cents } of lines) {
    const month = monthOf(date);
    const { in_cents, out_cents } = totals.get(month) ?? { in_cents: 0, out_cents: 0 };
    const isIn = amount_cents > 0;
    totals.set(month, {
      month,
      in_cents: in_cents + (isIn ? amount_cents : 0),
      out_cents: out_cents + (isIn ? 0 : amount_cents),
    });
  }
  return [...totals.values()];
}

/** The last day of a month, `YYYY-MM-DD`, within a period. */
export function lastDayOf(month: string, { to }: Period): string {
  const [year, number] = month.split('-').map(Number);
  const last = new Date(Date.UTC(year ?? 0, number ?? 0, 0)).toISOString().slice(0, 10);
  return last < to ? last : to;
}

export function monthOf(date: string): string {
  return date.slice(0, 7);
}
