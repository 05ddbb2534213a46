const BASE = 'http://app.invalid';

/**
 * Where to go after signing in: a path inside this application, or the home page. Browsers read `//host`, `/\host` and
 * control characters in ways that leave the site, so anything that does not come back unchanged from the URL parser is
 * refused.
 */
export function safeCallback(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2000) return '/';
  if (!value.startsWith('/') || value.startsWith('//') || value.includes('\\') || hasControlCharacter(value))
    return '/';
  if (!URL.canParse(value, BASE)) return '/';
  const url = new URL(value, BASE);
  if (url.origin !== BASE || url.pathname.startsWith('//')) return '/';
  if (url.pathname === '/login' || /^\/api(\/|$)/.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

/** The address of the sign-in page that leads back to `path`. */
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
