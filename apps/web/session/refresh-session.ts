import type { SessionToken } from './session-shapes.ts';

/** The result of a refresh. Only `refused` means that the session has ended (WEB-6, WEB-7). */
export type RefreshReply =
  | { kind: 'refreshed'; token: Partial<SessionToken> & Pick<SessionToken, 'accessToken' | 'accessTokenExpires'> }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

/** A `fresh` session can be used, a `stale` one could not be renewed just now, and an `ended` one is signed out. */
export interface RefreshedSession {
  token: SessionToken;
  state: 'fresh' | 'stale' | 'ended';
  changed: boolean;
}

interface RefreshOptions {
  now: number;
  refresh: (token: SessionToken) => Promise<RefreshReply>;
  /** Shared by the whole process, so that a page and its calls make one refresh. */
  inFlight: Map<string, Promise<RefreshReply>>;
}

/** A token is renewed half a minute before its end, or after four fifths of a short life. */
const EARLY_MS = 30_000;
const EARLY_SHARE = 0.2;
/** An answer is shared this long with requests that still have the cookie from before the refresh. */
const SHARED_MS = 10_000;

/** Returns when a token issued at `now` should be renewed. Times are in milliseconds since the epoch. */
export function refreshTime(now: number, expires: number): number {
  return expires - Math.min(EARLY_MS, Math.max(0, expires - now) * EARLY_SHARE);
}

/** Returns the session, with a renewed access token if it is due (WEB-6). */
export async function refreshSession(token: SessionToken, options: RefreshOptions): Promise<RefreshedSession> {
  if (token.tokenError !== undefined) return { token, state: 'ended', changed: false };
  if (options.now < token.refreshAt) return { token, state: 'fresh', changed: false };
  const reply = await sharedRefresh(token, options);
  if (reply.kind === 'refreshed') {
    const refreshAt = refreshTime(options.now, reply.token.accessTokenExpires);
    return { token: { ...token, ...reply.token, refreshAt }, state: 'fresh', changed: true };
  }
  if (reply.kind === 'refused') {
    return { token: { ...token, tokenError: 'RefreshFailed' }, state: 'ended', changed: true };
  }
  return { token, state: options.now < token.accessTokenExpires ? 'fresh' : 'stale', changed: false };
}

function sharedRefresh(token: SessionToken, { refresh, inFlight }: RefreshOptions): Promise<RefreshReply> {
  const key = token.refreshToken;
  const running = inFlight.get(key);
  if (running !== undefined) return running;
  const started = refresh(token).catch((): RefreshReply => ({ kind: 'unavailable' }));
  inFlight.set(key, started);
  started.then((reply) => {
    // After an outage the next request tries again.
    if (reply.kind === 'unavailable') inFlight.delete(key);
    else setTimeout(() => inFlight.delete(key), sharedFor(reply)).unref();
  });
  return started;
}

/** Returns how long an answer is shared: at most half of the rest of its token's life. */
function sharedFor(reply: RefreshReply): number {
  if (reply.kind !== 'refreshed') return SHARED_MS;
  return Math.min(SHARED_MS, Math.max(0, reply.token.accessTokenExpires - Date.now()) / 2);
}
