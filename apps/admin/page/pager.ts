import { type Html, html } from '@case-platform/lib/html';

interface Pager<Cursor extends string | number> {
  /** The address of the page at this cursor; undefined for the first page. */
  path: (cursor: Cursor | undefined) => string;
  /** The cursor of the page that is shown; undefined for the first page. */
  current: Cursor | undefined;
  /** The cursor of the next page; null on the last page. */
  next: Cursor | null;
  first?: string;
  more?: string;
}

/** Links to the first and the next page of a list; nothing for a list of one page. */
export function pager<Cursor extends string | number>(list: Pager<Cursor>): Html {
  const { path, current, next, first = 'Newest', more = 'Older' } = list;
  if (current === undefined && next === null) return html``;
  const toFirst = current === undefined ? '' : html`<a class="btn btn-sm" href="${path(undefined)}">${first}</a>`;
  const toNext = next === null ? '' : html`<a class="btn btn-sm" rel="next" href="${path(next)}">${more}</a>`;
  return html`<nav class="pager" aria-label="Pages">${toFirst}${toNext}</nav>`;
}

/** The address of a list with its filters, without those that are not set. */
export function listAddress(path: string, filters: object): string {
  const pairs = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? path : `${path}?${query}`;
}
