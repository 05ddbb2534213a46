import { isInSnapshot, parseSnapshot } from '@case-platform/words/live/snapshots';

/** A change of a case's money or requests, as a live event reports it. */
export interface CaseChange {
  caseId: number;
  /** The mark of the database and the number of the transaction, joined by a hyphen. */
  changedIn: string;
}

/** Older changes are in every page that is still shown. */
const CHANGES_MAX = 200;

let changes: CaseChange[] = [];
let holders = 0;
const listeners = new Set<(isUnknown: boolean) => void>();

/** Records a change. Null means that events were missed, so any case may have changed. */
export function noteCaseChange(change: CaseChange | null): void {
  if (change !== null) changes = [...changes, change].slice(-CHANGES_MAX);
  notifyListeners(change === null);
}

/** True if a recorded change of this case (of any case without `caseId`) is missing from the page's snapshot. */
export function isBehind(rendered: string, caseId: number | undefined): boolean {
  const page = parseSnapshot(rendered);
  if (page === null) return false;
  return changes.some((change) => {
    const [mark, transaction = '0'] = change.changedIn.split('-');
    const isShown = page.mark === mark && isInSnapshot(BigInt(transaction), page);
    return !isShown && (caseId === undefined || change.caseId === caseId);
  });
}

/**
 * Calls the listener whenever a page may be out of date. `isUnknown` is true if the changes are not known.
 * @returns a function that removes the listener.
 */
export function onCaseChange(listener: (isUnknown: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True while the page is about to be refreshed because of the reader's own change. */
export function isRefreshPending(): boolean {
  return holders > 0;
}

/** Announces a refresh because of the reader's own change. @returns a function to call after the refresh. */
export function expectRefresh(): () => void {
  holders += 1;
  return () => {
    holders -= 1;
    // The page that was just rendered must store its new snapshot before listeners compare it.
    queueMicrotask(() => notifyListeners(false));
  };
}

function notifyListeners(isUnknown: boolean): void {
  for (const listener of listeners) listener(isUnknown);
}
