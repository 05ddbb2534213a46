/** All times of the demo are in days before its seeding, so that it looks fresh on any day. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Events happen between nine and five in New York. */
const FIRST_HOUR = 13;
const LAST_HOUR = 21;
/** One time for all rows, so that a row and its entry in the audit log have the same one. */
const NOW = Date.now();

/** A time this many days ago, during business hours. A larger number of days is always earlier. */
export function ago(days: number, now = NOW): Date {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const yesterdayEvening = midnight - DAY_MS + LAST_HOUR * HOUR_MS;
  if (days < 1) return new Date(yesterdayEvening + (1 - days) * (now - yesterdayEvening));
  const whole = Math.floor(days);
  const hour = FIRST_HOUR + (LAST_HOUR - FIRST_HOUR) * (1 - (days - whole));
  return new Date(midnight - whole * DAY_MS + hour * HOUR_MS);
}

/** The date this many days ago (YYYY-MM-DD); negative numbers are in the future. */
export function dayAgo(days: number, now = NOW): string {
  return new Date(now - days * DAY_MS).toISOString().slice(0, 10);
}

/** The number of days since noon of a date (YYYY-MM-DD). */
export function daysSince(day: string, now = NOW): number {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  return (midnight - Date.parse(`${day}T00:00:00Z`)) / DAY_MS + 0.4;
}
