import { wallClock } from '@case-platform/words/days';

/** YYMMDD and HHMM in the Federal Reserve's time zone, which bank files use. */
export function toBankClock(at: Date): { date: string; time: string } {
  const [day = '', time = ''] = wallClock(at, 'America/New_York').split(' ');
  return { date: toBankDate(day), time: time.slice(0, 5).replace(':', '') };
}

export function toBankDate(day: string): string {
  return day.slice(2).replaceAll('-', '');
}

/** The Federal Reserve accepts same-day files until the first time of each pair and settles them at the second (Eastern time). */
const SAME_DAY_WINDOWS = [
  ['1030', '1300'],
  ['1445', '1700'],
  ['1645', '1800'],
] as const;

/** HHMM at which a same-day file made now settles. After the last deadline it is the time of the last window. */
export function sameDayWindow(at: Date): string {
  const { time } = toBankClock(at);
  return SAME_DAY_WINDOWS.find(([until]) => time < until)?.[1] ?? '1800';
}
