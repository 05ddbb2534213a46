import { type Clock, dayOf, daysBetween } from './days.ts';
import { formatDate, readerLocale } from './formats.ts';

const LONG = { day: 'numeric', month: 'long', year: 'numeric' } as const;

/** A calendar day (YYYY-MM-DD): "November 12, 2026". */
export function longDayWords(day: string, locale: string = readerLocale()): string {
  return formatDate(new Date(day), 'UTC', locale, LONG);
}

/** A calendar day with its weekday: "Tuesday, November 24, 2026". */
export function fullDayWords(day: string, locale: string = readerLocale()): string {
  return formatDate(new Date(day), 'UTC', locale, { weekday: 'long', ...LONG });
}

/** A month (YYYY-MM): "March 2027". */
export function monthWords(month: string, locale: string = readerLocale()): string {
  return formatDate(new Date(month), 'UTC', locale, { month: 'long', year: 'numeric' });
}

/** A month (YYYY-MM) where there is little room: "Mar". */
export function shortMonthWords(month: string, locale: string = readerLocale()): string {
  return formatDate(new Date(month), 'UTC', locale, { month: 'short' });
}

/** A calendar day in a table: "Nov 12, 2026". */
export function tableDayWords(day: string, locale: string = readerLocale()): string {
  return formatDate(new Date(day), 'UTC', locale, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** A calendar day: "Today", "Tomorrow", or "Yesterday", otherwise "Tue, Nov 24", and "Jan 4, 2027" in another year. */
export function shortDayWords(day: string, clock: Clock): string {
  const near = { '-1': 'Yesterday', '0': 'Today', '1': 'Tomorrow' }[daysFromNow(day, clock)];
  return near ?? dateWords(day, clock);
}

/** The same in a sentence: "tomorrow", "on Tue, Nov 24". */
export function dayInText(day: string, clock: Clock): string {
  return Math.abs(daysFromNow(day, clock)) <= 1 ? shortDayWords(day, clock).toLowerCase() : `on ${dateWords(day, clock)}`;
}

/** The calendar day on which something is due: "today", "tomorrow", "on Tue, Nov 24", and "since Tue, Nov 3" when it is late. */
export function dueWords(day: string, clock: Clock): string {
  return daysFromNow(day, clock) < 0 ? `since ${dateWords(day, clock)}` : dayInText(day, clock);
}

/** The day on which money arrives, always exact: "Tue, Nov 24", and "Jan 4, 2027" in another year. */
export function exactDayWords(day: string, clock: Clock): string {
  return dateWords(day, clock);
}

function daysFromNow(day: string, { zone, now }: Clock): number {
  return daysBetween(dayOf(now, zone), day);
}

function dateWords(day: string, { zone, now, locale = readerLocale() }: Clock): string {
  const isThisYear = day.slice(0, 4) === dayOf(now, zone).slice(0, 4);
  const more = isThisYear ? ({ weekday: 'short' } as const) : ({ year: 'numeric' } as const);
  return formatDate(new Date(day), 'UTC', locale, { day: 'numeric', month: 'short', ...more });
}
