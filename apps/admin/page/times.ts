import { html } from '@case-platform/lib/html';

/** The reader's time zone and the present. */
export interface Clock {
  zone: string;
  now: Date;
}

const DAY_MS = 86_400_000;
/** What stands before AM and PM in some versions of the runtime, and is a plain space in others. */
const NARROW_SPACE = String.fromCodePoint(0x202f);
const formats = new Map<string, Intl.DateTimeFormat>();

function format(at: Date, zone: string, options: Intl.DateTimeFormatOptions, locale = 'en-US'): string {
  const key = `${locale} ${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  formats.set(key, known);
  return known.format(at).replaceAll(NARROW_SPACE, ' ');
}

/** The calendar day of a moment where the reader is, as YYYY-MM-DD. */
export function dayOf(at: Date, zone: string): string {
  return format(at, zone, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA');
}

function daysAgo(at: Date, { zone, now }: Clock): number {
  return Math.round((Date.parse(dayOf(now, zone)) - Date.parse(dayOf(at, zone))) / DAY_MS);
}

const isThisYear = (at: Date, { zone, now }: Clock) => dayOf(at, zone).slice(0, 4) === dayOf(now, zone).slice(0, 4);

/** The time of day, 2:05 PM. */
export function clockWords(at: Date, zone: string): string {
  return format(at, zone, { hour: 'numeric', minute: '2-digit' });
}

/** A moment in a list: "2:05 PM" today, "Yesterday", "Monday" in the last week, "Nov 12" this year, else with the year. */
function shortTimeWords(at: Date, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days <= 0) return clockWords(at, clock.zone);
  if (days === 1) return 'Yesterday';
  if (days < 7) return format(at, clock.zone, { weekday: 'long' });
  return format(at, clock.zone, isThisYear(at, clock) ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' });
}

/** A day over its messages: "Today", "Yesterday", "Monday, November 10", with the year when it is another. */
export function dayWords(at: Date, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const parts: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long' };
  return format(at, clock.zone, isThisYear(at, clock) ? parts : { ...parts, year: 'numeric' });
}

/** The whole moment, for hovering and for screen readers. */
export function exactTimeWords(at: Date, zone: string): string {
  return format(at, zone, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
}

/** A greeting for the time of day where the reader is. */
export function greetingWords({ zone, now }: Clock): string {
  const hour = Number(format(now, zone, { hour: '2-digit', hourCycle: 'h23' }));
  if (hour >= 5 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}

/** A moment as an element: short to read, exact on hover and for screen readers. */
export function timeElement(at: Date, clock: Clock, words: string = shortTimeWords(at, clock)): string {
  const exact = exactTimeWords(at, clock.zone);
  return html`<time datetime="${at.toISOString()}" title="${exact}"
    ><span aria-hidden="true">${words}</span><span class="sr-only">${exact}</span></time
  >`;
}

/** A day of the calendar (`YYYY-MM-DD`): "Today", "Tomorrow", "Yesterday", else "Tue, Nov 24". */
export function calendarDayWords(day: string, clock: Clock): string {
  return nearDayWords(day, clock) ?? dateWords(day, clock);
}

/** The same after a verb, as in "it is due": "tomorrow", "on Tue, Nov 24". */
export function dayInText(day: string, clock: Clock): string {
  return nearDayWords(day, clock)?.toLowerCase() ?? `on ${dateWords(day, clock)}`;
}

function nearDayWords(day: string, { zone, now }: Clock): string | null {
  const days = Math.round((Date.parse(day) - Date.parse(dayOf(now, zone))) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Tomorrow';
  return days === -1 ? 'Yesterday' : null;
}

function dateWords(day: string, { zone, now }: Clock): string {
  const isNear = day.slice(0, 4) === dayOf(now, zone).slice(0, 4);
  const more = isNear ? { weekday: 'short' as const } : { year: 'numeric' as const };
  return format(new Date(day), 'UTC', { day: 'numeric', month: 'short', ...more });
}

/** A day of the calendar as an element, with the whole date on hover and for screen readers. */
export function dayElement(day: string, clock: Clock, words: string = calendarDayWords(day, clock)): string {
  const exact = format(new Date(day), 'UTC', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  return html`<time datetime="${day}" title="${exact}"
    ><span aria-hidden="true">${words}</span><span class="sr-only">${exact}</span></time
  >`;
}

/** The same element after a verb: "tomorrow", "on Tue, Nov 24". */
export function dayElementInText(day: string, clock: Clock): string {
  return dayElement(day, clock, dayInText(day, clock));
}
