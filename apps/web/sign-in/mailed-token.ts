/** The token of a mail's link, once read; the address bar and the history no longer hold it. */
let kept: string | undefined;

/** Reads the token of the link that led here; empty without one. */
export function readToken(): string {
  const { pathname, search } = location;
  const query = new URLSearchParams(search);
  const token = query.get('token');
  if (token !== null) {
    kept = token;
    query.delete('token');
    history.replaceState(history.state, '', query.size === 0 ? pathname : `${pathname}?${query}`);
  }
  return kept ?? '';
}

/** Forgets the token once it is spent. */
export function forgetToken(): void {
  kept = undefined;
}
