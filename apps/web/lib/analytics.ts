/**
 * What we remember of a visit: one random number per browser tab, sent with every call as `X-Visit-Id` so that support can
 * find what a person saw. Nothing goes to anyone else. Signing out forgets it.
 */
const KEY = 'case-platform.visit';

/** The number of this visit. */
export function visitId(): string {
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

/** Forgets the visit, so that the next person on this device starts a new one. */
export function resetAnalytics(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
