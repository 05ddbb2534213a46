import type { Page } from '../api/api-shapes.ts';

/** A list, newest first, whose first page the server renders anew, and which its reader has followed back from there. */
export interface PageList<T> {
  newest: Page<T>;
  /** What has left the first page since, and the pages that were asked for. */
  earlier: readonly T[];
  /** Where what was not asked for yet begins. */
  next: string | null;
}

/** What a key is the same of is the same. */
type KeyOf<T> = (one: T) => string | number;

/** A list that begins with its first page. */
export function beginList<T>(newest: Page<T>): PageList<T> {
  return { newest, earlier: [], next: newest.next_cursor };
}

/**
 * The list with its first page as it is now. What has moved out of the first page stays in the list; if more has come than a
 * page holds, it begins anew, because nobody knows what lies between.
 */
export function withNewest<T>(list: PageList<T>, newest: Page<T>, keyOf: KeyOf<T>): PageList<T> {
  const last = newest.data.at(-1);
  if (newest.next_cursor === null || last === undefined) return beginList(newest);
  const known = [...list.newest.data, ...list.earlier];
  const at = known.findIndex((one) => keyOf(one) === keyOf(last));
  return at === -1 ? beginList(newest) : { ...list, newest, earlier: known.slice(at + 1) };
}

/** The list with the page that came from where it ended, unless it ends elsewhere by now. */
export function withEarlier<T>(list: PageList<T>, from: string, { data, next_cursor }: Page<T>): PageList<T> {
  if (list.next !== from) return list;
  return { ...list, earlier: [...list.earlier, ...data], next: next_cursor };
}

/** Everything in the list, once, as the newest page says it. */
export function entriesOf<T>({ newest, earlier }: PageList<T>, keyOf: KeyOf<T>): T[] {
  const entries = new Map<string | number, T>();
  for (const one of [...newest.data, ...earlier]) if (!entries.has(keyOf(one))) entries.set(keyOf(one), one);
  return [...entries.values()];
}
