const BASE = 'http://here.invalid';
const NEXT_MAX = 2000;

/**
 * Where to go after signing in: a path of this application, or the dashboard. Browsers read `//host`, `/\host` and control
 * characters in ways that leave the site, so anything but a plain path that the URL parser leaves on this site is refused.
 */
export function safeNext(value: unknown): string {
  if (typeof value !== 'string' || value.length > NEXT_MAX || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(value)) return '/';
  if (!URL.canParse(value, BASE)) return '/';
  const { origin, pathname, search, hash } = new URL(value, BASE);
  if (origin !== BASE || pathname.startsWith('//') || /^\/(login|logout)(\/|$)/.test(pathname)) return '/';
  return pathname + search + hash;
}

/** The sign-in page that leads back to `path`. */
export function signInPath(path: string): string {
  return `/login?next=${encodeURIComponent(safeNext(path))}`;
}

/** The page that asks somebody who is signed in to prove again who they are, on the way to `next`. */
export function confirmPath(next: string): string {
  return `/account/confirm?next=${encodeURIComponent(safeNext(next))}`;
}

/** The page for the one-time code, on the way to `next`. */
export function codePath(next: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...more, ...(next === '/' ? {} : { next: safeNext(next) }) });
  return query.size === 0 ? '/login/otp' : `/login/otp?${query}`;
}
