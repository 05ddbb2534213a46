import { useEffect, useState } from 'react';

/** The token after it was read, because the address bar and the history no longer contain it. */
let readBefore: string | undefined;

/**
 * Returns the token of the mailed link; empty without one, and null until the page runs in a browser. Links have it in their
 * fragment (`#token=…`), which browsers never send, so that it is in no access log and no referrer (PASSWORD-6).
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

/** Drops the token once it is used up. */
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
