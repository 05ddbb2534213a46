const BASE = 'http://app.invalid';

/**
 * Returns the path to open after signing in, or the home page for anything that is not a path of this application (SIGN-IN-10).
 * Browsers can read `//host`, `/\host`, and control characters as the address of another site, so these are rejected first.
 */
export function safeCallback(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2000) return '/';
  if (!value.startsWith('/') || value.startsWith('//') || value.includes('\\') || hasControlCharacter(value)) return '/';
  if (!URL.canParse(value, BASE)) return '/';
  const url = new URL(value, BASE);
  if (url.origin !== BASE || url.pathname.startsWith('//')) return '/';
  if (url.pathname === '/login' || /^\/api(\/|$)/.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

/** Returns the path of the sign-in page that leads back to `path`. */
export function loginPath(path: string, reason?: 'ended'): string {
  const query = new URLSearchParams();
  if (reason !== undefined) query.set('session', reason);
  const callback = safeCallback(path);
  if (callback !== '/') query.set('callbackUrl', callback);
  return query.size === 0 ? '/login' : `/login?${query}`;
}

function hasControlCharacter(value: string): boolean {
  for (const character of value) {
    const code = character.charCodeAt(0);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
