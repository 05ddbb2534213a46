/** Handles a change of a case; null means that any case may have changed. Returns true if it refreshes the page. */
type Watcher = (caseId: number | null) => boolean;

const watchers = new Set<Watcher>();
let hasStalePages = false;

/**
 * Reports a change of a case's money or requests to the page that is shown. Null means that changes may have been missed.
 * If that page does not depend on the case, the router may still have others that do.
 */
export function reportCaseChange(caseId: number | null): void {
  const refreshes = [...watchers].map((watch) => watch(caseId));
  if (!refreshes.includes(true)) markPagesStale();
}

/** Calls the watcher on every change. @returns a function that removes it. */
export function watchCases(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Records that the router may show a page that was rendered before a change, because it went back or was loading it. */
export function markPagesStale(): void {
  hasStalePages = true;
}

/** Returns true if such a page may be shown, once: the refresh that follows drops all pages that the router has. */
export function takeStalePages(): boolean {
  const wereStale = hasStalePages;
  hasStalePages = false;
  return wereStale;
}
