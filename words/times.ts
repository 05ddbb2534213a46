import { counted } from './counts.ts';
import { type Clock, dayOf, daysBetween, type Moment } from './days.ts';
import { formatDate, readerLocale } from './formats.ts';

/** The time of day: "2:05 PM". */
export function timeWords(at: Moment, clock: Pick<Clock, 'zone' | 'locale'>): string {
  return format(at, clock, { hour: 'numeric', minute: '2-digit' });
}

/**
 * A moment in a list: "2:05 PM" today, then "Yesterday", "Monday" within the last week, "Nov 12" this year, and with its year
 * before that.
 */
export function shortTimeWords(at: Moment, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days <= 0) return timeWords(at, clock);
  if (days === 1) return 'Yesterday';
  if (days < 7) return format(at, clock, { weekday: 'long' });
  return format(at, clock, isThisYear(at, clock) ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' });
}

/** The same within a sentence: "yesterday". */
export function shortTimeInText(at: Moment, clock: Clock): string {
  return daysAgo(at, clock) === 1 ? 'yesterday' : shortTimeWords(at, clock);
}

/** The heading of a day's messages: "Today", "Yesterday", "Monday, November 10", with the year if it is another one. */
export function dayHeading(at: Moment, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const year = isThisYear(at, clock) ? {} : ({ year: 'numeric' } as const);
  return format(at, clock, { weekday: 'long', day: 'numeric', month: 'long', ...year });
}

/** The full moment, for tooltips and screen readers: "Friday, November 20, 2026 at 2:05 PM UTC". */
export function exactTimeWords(at: Moment, clock: Pick<Clock, 'zone' | 'locale'>): string {
  const day = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return format(at, clock, { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });
}

/** How long to wait, rounded up: "1 second", "43 seconds", "15 minutes". */
export function waitWords(seconds: number): string {
  return seconds < 60 ? counted(Math.max(1, Math.ceil(seconds)), 'second') : counted(Math.ceil(seconds / 60), 'minute');
}

function format(
  at: Moment,
  { zone, locale = readerLocale() }: Pick<Clock, 'zone' | 'locale'>,
  parts: Intl.DateTimeFormatOptions,
) {
  return formatDate(new Date(at), zone, locale, parts);
}

function daysAgo(at: Moment, { zone, now }: Clock): number {
  return daysBetween(dayOf(at, zone), dayOf(now, zone));
}

function isThisYear(at: Moment, { zone, now }: Clock): boolean {
  return dayOf(at, zone).slice(0, 4) === dayOf(now, zone).slice(0, 4);
}
