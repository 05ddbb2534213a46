import { useEffect, useState } from 'react';

/** The token, once read. The address bar and the history no longer contain it. */
let readBefore: string | undefined;

/**
 * The token of the mailed link that led here; empty without one, null until the page runs in a browser. Links have it in their
 * fragment (`#token=…`), which browsers send to no server, so that it is in no access log and no referrer.
 */
export function useMailedToken(): string | null {
  const [token, setToken] = useState<string | null>(null);
  useEffect(() => {
    setToken(readToken());
    // Opening a second link in the same tab changes only the fragment, and the browser loads nothing.
    const loadOther = () => location.hash.includes('token=') && location.reload();
    addEventListener('hashchange', loadOther);
    return () => removeEventListener('hashchange', loadOther);
  }, []);
  return token;
}

/** Forgets the token once it is spent. */
export function forgetToken(): void {
  readBefore = undefined;
}

function readToken(): string {
  const { pathname, search, hash } = location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token !== null) {
    readBefore = token;
    history.replaceState(history.state, '', `${pathname}${search}`);
  }
  return readBefore ?? '';
}
