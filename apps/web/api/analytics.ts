/**
 * The visit of the person in this browser tab. It has a random id that every call carries as `X-Visit-Id`, so that support can
 * find what the person saw. Usage events leave this file only if an installation sets a client in analytics-client.ts. Signing
 * out, and the end of a session, delete everything (WEB-9).
 */
import { ANALYTICS_CLIENT, type AnalyticsClient } from './analytics-client.ts';

const KEY = 'case-platform.visit';
/** Holds the id of the person whose visit it is. */
const OF = `${KEY}.of`;

let client: AnalyticsClient | null = ANALYTICS_CLIENT;
/** Whether the visit is over. Calls that are made while the page unloads must not begin another one. */
let over = false;

/** Replaces the installation's client in tests. */
export function connectAnalytics(other: AnalyticsClient | null): void {
  client = other;
  over = false;
}

export function identify(person: { user_id: number; user_type: string }): void {
  if (!over) inform((to) => to.identify(person));
}

/** Begins the visit of a person, and ends the visit of anyone who used this tab before. */
export function beginVisit(userId: number): void {
  try {
    const before = sessionStorage.getItem(OF);
    if (before !== null && before !== String(userId)) {
      sessionStorage.removeItem(KEY);
      inform((to) => to.reset());
    }
    sessionStorage.setItem(OF, String(userId));
  } catch {
    // Storage may be turned off. The visit then ends with each page.
  }
}

export function track(event: string, details: Readonly<Record<string, string | number | boolean>> = {}): void {
  if (!over) inform((to) => to.track(event, details));
}

/** The address of a page without its ids, for example `/cases/:id`. */
export function pageOf(pathname: string): string {
  return pathname.replaceAll(/\/\d+(?=\/|$)/g, '/:id');
}

/** The id of this visit, or an empty string once it is over. */
export function visitId(): string {
  if (over) return '';
  try {
    const stored = sessionStorage.getItem(KEY);
    if (stored !== null) return stored;
    const id = crypto.randomUUID();
    sessionStorage.setItem(KEY, id);
    return id;
  } catch {
    // Storage may be turned off. The visit then has no id.
    return '';
  }
}

/** Ends the visit and deletes what is stored about it. The next page begins another one. */
export function resetAnalytics(): void {
  over = true;
  inform((to) => to.reset());
  try {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(OF);
  } catch {
    // Storage is turned off, so nothing was stored.
  }
}

/** A failure of the analytics client must not break the page. */
function inform(what: (to: AnalyticsClient) => void): void {
  if (client === null) return;
  try {
    what(client);
  } catch {
    return;
  }
}
