/**
 * What we remember of a visit, and the one place through which anybody else could be told of it. A visit has a random number per
 * browser tab, sent with every call as `X-Visit-Id`, so that support can find what a person saw. Nothing goes to anyone else
 * unless an installation puts a client of its own in analytics-client.ts. Signing out and a session's end forget all of it
 * (WEB-9).
 */
import { ANALYTICS_CLIENT, type AnalyticsClient } from './analytics-client.ts';

const KEY = 'case-platform.visit';
/** Whose visit it is. */
const OF = `${KEY}.of`;

let client: AnalyticsClient | null = ANALYTICS_CLIENT;
/** Whether the visit is over: calls that are still made until the page has gone must not begin another. */
let over = false;

/** Another client than the installation's; for tests. */
export function connectAnalytics(other: AnalyticsClient | null): void {
  client = other;
  over = false;
}

/** Says who is here. */
export function identify(person: { user_id: number; user_type: string }): void {
  if (!over) inform((to) => to.identify(person));
}

/** Says whose visit it is: the next person in this tab begins one of their own, however the session before has ended. */
export function beginVisit(userId: number): void {
  try {
    const before = sessionStorage.getItem(OF);
    if (before !== null && before !== String(userId)) {
      sessionStorage.removeItem(KEY);
      inform((to) => to.reset());
    }
    sessionStorage.setItem(OF, String(userId));
  } catch {
    // Storage may be switched off; nothing is kept from one page to the next then.
  }
}

/** Says that something happened. */
export function track(event: string, details: Readonly<Record<string, string | number | boolean>> = {}): void {
  if (!over) inform((to) => to.track(event, details));
}

/** The page that an address shows, without what is in it: `/cases/:id`. */
export function pageOf(pathname: string): string {
  return pathname.replaceAll(/\/\d+(?=\/|$)/g, '/:id');
}

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

/** Forgets the visit and whoever was here: the next person on this device starts anew with the page that follows. */
export function resetAnalytics(): void {
  over = true;
  inform((to) => to.reset());
  try {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(OF);
  } catch {
    // Nothing was kept.
  }
}

/** What measures use must never be what breaks it. */
function inform(what: (to: AnalyticsClient) => void): void {
  if (client === null) return;
  try {
    what(client);
  } catch {
    return;
  }
}
