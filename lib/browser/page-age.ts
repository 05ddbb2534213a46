/** The longest time between the start of a request for a stream and its first event, for which that stream covers the page. */
export const STREAM_WITHIN_MS = 2_000;

/** Returns the milliseconds since this page was requested, by the clock that does not stop while the computer sleeps. */
export function pageAge(): number {
  const [navigation] = performance.getEntriesByType('navigation' as never) as { fetchStart?: number }[];
  const requestedAt = navigation?.fetchStart ?? 0;
  return Math.ceil(Math.max(performance.now(), Date.now() - performance.timeOrigin) - requestedAt);
}
