/** A longer wait would overflow a browser's timer, which then fires at once; our own limits last minutes. */
const LONGEST_WAIT_S = 24 * 60 * 60;

/**
 * The seconds after which a call may be repeated, from `Retry-After` in either of its forms (RFC 9110, 10.2.3): whole seconds or
 * a date. At most a day. Null when the header is missing or malformed, or the wait is over.
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const seconds = isDate ? Math.ceil((Date.parse(text) - now) / 1000) : /^\d+$/.test(text) ? Number(text) : 0;
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT_S) : null;
}

/** True if an unchanged call may succeed later: the request was too slow, too early, or one of too many, or the server failed. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
