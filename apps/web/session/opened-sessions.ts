import type { SessionToken } from './session-shapes.ts';

/**
 * A cache of recently decrypted session cookies, by their encrypted value. Decrypting one takes several times as long as the
 * rest of a forwarded call, and a page makes many calls. The cache contains only verified sessions, none longer than its cookie
 * lasts, and drops the least recently used. The bundles of this process share it, like running refreshes (api-auth.ts).
 */
const KEY = Symbol.for('case-platform.opened-sessions');
const MOST = 1000;

interface Opened {
  token: SessionToken;
  /** Milliseconds since the epoch. */
  until: number;
}
type Shared = typeof globalThis & { [KEY]?: Map<string, Opened> };

function sessions(): Map<string, Opened> {
  const shared: Shared = globalThis;
  shared[KEY] ??= new Map();
  return shared[KEY];
}

/** Returns the cached session of an encrypted value unless it has expired. The caller must check for a sign-out. */
export function findOpenedSession(sealed: string, now: number): SessionToken | null {
  const all = sessions();
  const opened = all.get(sealed);
  if (opened === undefined) return null;
  all.delete(sealed);
  if (opened.until <= now) return null;
  all.set(sealed, opened);
  return opened.token;
}

/** Caches a verified session until its cookie expires. `until` is in milliseconds since the epoch. */
export function cacheOpenedSession(sealed: string, token: SessionToken, until: number): void {
  const all = sessions();
  all.set(sealed, { token: Object.freeze({ ...token }), until });
  for (const oldest of all.keys()) {
    if (all.size <= MOST) break;
    all.delete(oldest);
  }
}
