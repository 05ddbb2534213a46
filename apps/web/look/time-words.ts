const DAY_MS = 86_400_000;
/** What stands before AM and PM in some browsers, and is a plain space in others. */
const NARROW_SPACE = String.fromCodePoint(0x202f);

/** Making a format costs a hundred times what using it does, and a page tells dozens of times. */
const formats = new Map<string, Intl.DateTimeFormat>();
/** Beyond this many (zones times kinds) they are made anew: a server meets every zone in time. */
const FORMATS_MOST = 1000;

function format(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions, locale = 'en-US'): string {
  const key = `${locale} ${timeZone} ${JSON.stringify(options)}`;
  let known = formats.get(key);
  if (known === undefined) {
    known = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    if (formats.size >= FORMATS_MOST) formats.clear();
    formats.set(key, known);
  }
  return known.format(at).replaceAll(NARROW_SPACE, ' ');
}

/** The calendar day of a moment in a time zone, as YYYY-MM-DD. */
export function dayOf(iso: string | number | Date, timeZone: string): string {
  return format(new Date(iso), timeZone, { dateStyle: 'short' }, 'en-CA');
}

function daysBetween(earlier: string, later: string): number {
  return Math.round((Date.parse(`${later}T00:00:00Z`) - Date.parse(`${earlier}T00:00:00Z`)) / DAY_MS);
}

/** The time of day, 2:05 PM. */
export function timeWords(iso: string, timeZone: string): string {
  return format(new Date(iso), timeZone, { hour: 'numeric', minute: '2-digit' });
}

/** A moment in a list: "2:05 PM" today, "Yesterday", "Monday" in the last week, "Nov 12" this year, else with the year. */
export function shortTimeWords(iso: string, now: number, timeZone: string): string {
  const at = new Date(iso);
  const days = daysBetween(dayOf(at, timeZone), dayOf(now, timeZone));
  if (days <= 0) return timeWords(iso, timeZone);
  if (days === 1) return 'Yesterday';
  if (days < 7) return format(at, timeZone, { weekday: 'long' });
  const sameYear = dayOf(at, timeZone).slice(0, 4) === dayOf(now, timeZone).slice(0, 4);
  return format(at, timeZone, sameYear ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' });
}

/** A day as the heading over its messages: "Today", "Yesterday", "Monday, November 10", with the year when it is another. */
export function dayWords(iso: string, now: number, timeZone: string): string {
  const at = new Date(iso);
  const days = daysBetween(dayOf(at, timeZone), dayOf(now, timeZone));
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const sameYear = dayOf(at, timeZone).slice(0, 4) === dayOf(now, timeZone).slice(0, 4);
  const parts: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long' };
  return format(at, timeZone, sameYear ? parts : { ...parts, year: 'numeric' });
}

/** A day without a time (YYYY-MM-DD) that something is due: "today", "tomorrow", "on Tue, Nov 24", "since Tue, Nov 3". */
export function dueWords(day: string, now: number, timeZone: string): string {
  const today = dayOf(now, timeZone);
  const days = daysBetween(today, day);
  if (days === 0) return 'today';
  if (days === 1) return 'tomorrow';
  const more = day.startsWith(today.slice(0, 4)) ? { weekday: 'short' as const } : { year: 'numeric' as const };
  const words = format(new Date(`${day}T12:00:00Z`), 'UTC', { day: 'numeric', month: 'short', ...more });
  return days < 0 ? `since ${words}` : `on ${words}`;
}

/** A day without a time (YYYY-MM-DD), whole: "November 12, 2026". */
export function calendarDayWords(day: string): string {
  return format(new Date(`${day}T12:00:00Z`), 'UTC', { day: 'numeric', month: 'long', year: 'numeric' });
}

/** The whole moment, for hovering and for screen readers. */
export function exactTimeWords(iso: string, timeZone: string): string {
  return format(new Date(iso), timeZone, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
}

/** How long to wait, rounded up: "43 seconds", "a minute", "15 minutes". */
export function waitWords(seconds: number): string {
  if (seconds <= 1) return 'a second';
  if (seconds < 60) return `${Math.ceil(seconds)} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** A greeting for the time of day where the person is. */
export function greeting(now: number, timeZone: string): string {
  const hour = Number(format(new Date(now), timeZone, { hour: '2-digit', hourCycle: 'h23' }));
  if (hour >= 5 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}

/** A time zone that this runtime knows, else UTC. */
export function knownTimeZone(value: string | undefined): string {
  if (value === undefined || value === '') return 'UTC';
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
