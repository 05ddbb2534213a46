/** The token of a mail's link, once read; the address bar and the history no longer hold it. */
let taken: string | undefined;

/** Reads the token of the link that led here; empty without one. */
export function takeToken(): string {
  const { pathname, search } = location;
  const query = new URLSearchParams(search);
  const token = query.get('token');
  if (token !== null) {
    taken = token;
    query.delete('token');
    history.replaceState(history.state, '', query.size === 0 ? pathname : `${pathname}?${query}`);
  }
  return taken ?? '';
}

/** The token is spent. */
export function forgetToken(): void {
  taken = undefined;
}
