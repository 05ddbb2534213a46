/**
 * What we remember of a visit: one random number per browser tab, sent with every call as `X-Visit-Id` so that support can
 * find what a person saw. Nothing goes to anyone else. Signing out forgets it.
 */
const KEY = 'case-platform.visit';

/** Whether the visit is over: calls that are still made until the page has gone must not begin another. */
let over = false;

/** The number of this visit; empty once it is over. */
export function visitId(): string {
  if (over) return '';
  try {
    const known = sessionStorage.getItem(KEY);
    if (known !== null) return known;
    const made = crypto.randomUUID();
    sessionStorage.setItem(KEY, made);
    return made;
  } catch {
    // Storage may be switched off; the visit then has no number.
    return '';
  }
}

/** Forgets the visit, so that the next person on this device starts a new one with the page that follows. */
export function resetAnalytics(): void {
  over = true;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
