import type { SessionToken } from './session-shapes.ts';

/**
 * Session cookies that were opened lately, by their sealed value. Opening one costs several times what a passed-on call
 * does otherwise, and a page makes many. Only verified sessions get in, none outlives its cookie, and the least recently
 * used goes first. Shared by the bundles of this process, as what is under way is (api-auth.ts).
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

/** The session in this sealed value, when it was opened before and has not expired. Whoever asks looks at sign-out marks. */
export function openedSession(sealed: string, now: number): SessionToken | null {
  const known = sessions();
  const opened = known.get(sealed);
  if (opened === undefined) return null;
  known.delete(sealed);
  if (opened.until <= now) return null;
  known.set(sealed, opened);
  return opened.token;
}

/** Keeps a session that was just opened, until its cookie expires. */
export function rememberOpened(sealed: string, token: SessionToken, until: number): void {
  const known = sessions();
  known.set(sealed, { token: Object.freeze({ ...token }), until });
  for (const oldest of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(oldest);
  }
}
