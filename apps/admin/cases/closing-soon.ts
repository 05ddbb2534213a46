/** How far ahead staff look for cases that have to be closed: twice as far as the mailed reminder. */
export const CLOSING_SOON_DAYS = 14;

/** The last day that counts as soon, as `YYYY-MM-DD`. */
export function closingSoon(now: Date): string {
  return new Date(now.getTime() + CLOSING_SOON_DAYS * 86_400_000).toISOString().slice(0, 10);
}
