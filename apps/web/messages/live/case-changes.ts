import { isInSnapshot, parseSnapshot } from '@case-platform/words/live/snapshots';

/** A change of a case's money or requests. */
export interface CaseChange {
  caseId: number;
  /** The mark of the database and the transaction. */
  changedIn: string;
}

/** Old ones are in every page that is looked at. */
const KEPT_MAX = 200;

let heard: CaseChange[] = [];
let holders = 0;
const listeners = new Set<(isUnknown: boolean) => void>();

/** Notes a change; null: any case may have changed, while nobody listened. */
export function noteCaseChange(change: CaseChange | null): void {
  if (change !== null) heard = [...heard, change].slice(-KEPT_MAX);
  notifyListeners(change === null);
}

/** Whether a page, rendered as of a snapshot, does not show a change yet of this case, or of any, that has been heard of. */
export function isBehind(rendered: string, caseId: number | undefined): boolean {
  const page = parseSnapshot(rendered);
  if (page === null) return false;
  return heard.some((change) => {
    const [mark, transaction = '0'] = change.changedIn.split('-');
    const isShown = page.mark === mark && isInSnapshot(BigInt(transaction), page);
    return !isShown && (caseId === undefined || change.caseId === caseId);
  });
}

/**
 * Calls back whenever a page may be behind; `isUnknown`: nobody knows by what. @returns a function that ends it.
 */
export function onCaseChange(listener: (isUnknown: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether somebody is about to render the page anew, who has changed something themselves. */
export function isRefreshPending(): boolean {
  return holders > 0;
}

/** Says that the page will be rendered anew without being asked. @returns a function that ends it, when it is. */
export function expectRefresh(): () => void {
  holders += 1;
  return () => {
    holders -= 1;
    // The page that has just been rendered says first what it shows.
    queueMicrotask(() => notifyListeners(false));
  };
}

function notifyListeners(isUnknown: boolean): void {
  for (const listener of listeners) listener(isUnknown);
}
