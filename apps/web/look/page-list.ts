import type { Page } from '../api/api-shapes.ts';

/** A list, newest first. The server renders its first page again after changes, and the reader loads the pages after it. */
export interface PageList<T> {
  newest: Page<T>;
  /** Entries that have left the first page since then, and the pages that the reader loaded. */
  earlier: readonly T[];
  /** The cursor of the first page that is not loaded yet; null at the end of the list. */
  next: string | null;
}

/** Two entries with the same key are the same entry. */
type KeyOf<T> = (one: T) => string | number;

export function createPageList<T>(newest: Page<T>): PageList<T> {
  return { newest, earlier: [], next: newest.next_cursor };
}

/**
 * Replaces the first page. Entries that have left it stay in the list (LIVE-5). If more entries are new than fit on a page, the
 * list starts over, because the entries in between are unknown.
 */
export function withNewest<T>(list: PageList<T>, newest: Page<T>, keyOf: KeyOf<T>): PageList<T> {
  const last = newest.data.at(-1);
  if (newest.next_cursor === null || last === undefined) return createPageList(newest);
  const entries = [...list.newest.data, ...list.earlier];
  const at = entries.findIndex((one) => keyOf(one) === keyOf(last));
  return at === -1 ? createPageList(newest) : { ...list, newest, earlier: entries.slice(at + 1) };
}

/** Appends the page that was loaded for the cursor `from`, unless the list has another end by now. */
export function withEarlier<T>(list: PageList<T>, from: string, { data, next_cursor }: Page<T>): PageList<T> {
  if (list.next !== from) return list;
  return { ...list, earlier: [...list.earlier, ...data], next: next_cursor };
}

/** Returns each entry of the list once, in its newest version. */
export function listEntries<T>({ newest, earlier }: PageList<T>, keyOf: KeyOf<T>): T[] {
  const entries = new Map<string | number, T>();
  for (const one of [...newest.data, ...earlier]) if (!entries.has(keyOf(one))) entries.set(keyOf(one), one);
  return [...entries.values()];
}
