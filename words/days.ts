import { formatDate } from './formats.ts';

/** The time zone, time, and language of a reader. */
export interface Clock {
  /** Such as America/New_York. */
  zone: string;
  now: Moment;
  locale?: string;
}

/** A moment as the database, the API, or a browser gives it. */
export type Moment = Date | number | string;

const DAY_MS = 86_400_000;

/** The local date and time in a time zone, to the second: 2026-11-20 15:04:05. */
export function wallClock(at: Moment, zone: string): string {
  return formatDate(new Date(at), zone, 'sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
}

/** The calendar day of a moment in a time zone, as YYYY-MM-DD. */
export function dayOf(at: Moment, zone: string): string {
  return wallClock(at, zone).slice(0, 10);
}

/**
 * A calendar day between 1900 and 2199, the years that the database, `Date`, and `Intl` have in common.
 * @returns undefined for anything other than YYYY-MM-DD, and for a day that does not exist.
 */
export function parseDay(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined;
}

/**
 * The moment at which a calendar day begins in a time zone. This is not 00:00 where the clocks go forward at midnight.
 * @param day YYYY-MM-DD.
 * @returns undefined for a day that `parseDay` rejects.
 */
export function startOfDay(day: string, zone: string): Date | undefined {
  if (parseDay(day) === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const starts = [-DAY_MS, DAY_MS].map((shift) => midnight - clockAhead(midnight + shift, zone)).sort((a, b) => a - b);
  return new Date(starts.find((start) => dayOf(start, zone) === day) ?? midnight);
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function clockAhead(moment: number, zone: string): number {
  return Date.parse(`${wallClock(moment, zone).replace(' ', 'T')}Z`) - moment;
}

export function daysBetween(earlier: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(earlier)) / DAY_MS);
}

/** The first and last day of a statement, both included: YYYY-MM-DD. */
export interface Period {
  from: string;
  to: string;
}

/** The length of the period that a statement shows by default. */
export const DEFAULT_PERIOD_DAYS = 90;

/** The periods that people choose most often, up to today in New York. The first is the default. */
export function commonPeriods(now: Date): (Period & { words: string })[] {
  const today = dayOf(now, 'America/New_York');
  const month = today.slice(0, 7);
  const year = today.slice(0, 4);
  const lastMonthEnd = new Date(Date.parse(`${month}-01`) - DAY_MS).toISOString().slice(0, 10);
  const daysAgo = (count: number) => new Date(Date.parse(today) - count * DAY_MS).toISOString().slice(0, 10);
  return [
    { words: `Last ${DEFAULT_PERIOD_DAYS} days`, from: daysAgo(DEFAULT_PERIOD_DAYS - 1), to: today },
    { words: 'This month', from: `${month}-01`, to: today },
    { words: 'Last month', from: `${lastMonthEnd.slice(0, 7)}-01`, to: lastMonthEnd },
    { words: 'This year', from: `${year}-01-01`, to: today },
    { words: 'Last year', from: `${Number(year) - 1}-01-01`, to: `${Number(year) - 1}-12-31` },
  ];
}
