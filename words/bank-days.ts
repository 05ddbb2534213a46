import { dayOf, wallClock } from '@case-platform/words/days';

/**
 * The days on which the Federal Reserve's automated clearing house works. Pure: days are `YYYY-MM-DD`, moments are `Date`.
 * Source: Federal Reserve Banks, holiday schedule; a holiday on a Sunday closes the Monday after it, one on a Saturday closes
 * nothing (the Friday before it is an ordinary day).
 */

/** A bank's days are those of New York. */
export const BANK_ZONE = 'America/New_York';
const DAY_MS = 86_400_000;

/** Holidays on a fixed date: month, day, first year. */
const FIXED: [month: number, day: number, since: number][] = [
  [1, 1, 0],
  [6, 19, 2022],
  [7, 4, 0],
  [11, 11, 0],
  [12, 25, 0],
];
/** Holidays on a weekday: month, weekday (1 is Monday), and which one of the month (-1 is the last). */
const FLOATING: [month: number, weekday: number, which: number][] = [
  [1, 1, 3],
  [2, 1, 3],
  [5, 1, -1],
  [9, 1, 1],
  [10, 1, 2],
  [11, 4, 4],
];

export function isBankingDay(day: string): boolean {
  const weekday = weekdayOf(day);
  return weekday !== 0 && weekday !== 6 && !holidaysOf(Number(day.slice(0, 4))).has(day);
}

/** The first banking day on or after this day. */
export function bankingDayFrom(day: string): string {
  let next = day;
  while (!isBankingDay(next)) next = addDays(next, 1);
  return next;
}

/** The banking day that is `count` banking days after this day; with `count` 0, the same as `bankingDayFrom`. */
export function addBankingDays(day: string, count: number): string {
  let next = bankingDayFrom(day);
  for (let remaining = count; remaining > 0; remaining -= 1) next = bankingDayFrom(addDays(next, 1));
  return next;
}

/**
 * The banking day on which a bank processes what it receives at this moment: today before the cutoff of a banking day, and
 * otherwise the next one.
 * @param cutOffHour hour of the day in New York, 0 to 23.
 */
export function processingDay(moment: Date, cutOffHour: number): string {
  const bankTime = wallClock(moment, BANK_ZONE);
  const day = bankTime.slice(0, 10);
  const hour = Number(bankTime.slice(11, 13));
  return hour < cutOffHour || !isBankingDay(day) ? bankingDayFrom(day) : bankingDayFrom(addDays(day, 1));
}

/** The calendar day in New York at this moment. */
export function bankDayOf(moment: Date): string {
  return dayOf(moment, BANK_ZONE);
}

function addDays(day: string, count: number): string {
  return toDay(new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS));
}

const holidays = new Map<number, ReadonlySet<string>>();

export function holidaysOf(year: number): ReadonlySet<string> {
  const cached = holidays.get(year);
  if (cached !== undefined) return cached;
  const days = new Set([
    ...FIXED.filter(([, , since]) => year >= since).map(([month, day]) => observed(year, month, day)),
    ...FLOATING.map(([month, weekday, which]) => nthWeekday(year, month, weekday, which)),
  ]);
  holidays.set(year, days);
  return days;
}

function observed(year: number, month: number, day: number): string {
  const date = toDay(new Date(Date.UTC(year, month - 1, day)));
  return weekdayOf(date) === 0 ? addDays(date, 1) : date;
}

function nthWeekday(year: number, month: number, weekday: number, which: number): string {
  if (which < 0) {
    const last = toDay(new Date(Date.UTC(year, month, 0)));
    return addDays(last, -((weekdayOf(last) - weekday + 7) % 7));
  }
  const first = toDay(new Date(Date.UTC(year, month - 1, 1)));
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + (which - 1) * 7);
}

function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
