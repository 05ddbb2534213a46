import type { SessionToken } from './session-shapes.ts';

/** How the API answered a refresh. Only a refusal means that the session has ended; no answer does not. */
export type RefreshReply =
  | { kind: 'refreshed'; token: Partial<SessionToken> & Pick<SessionToken, 'accessToken' | 'accessTokenExpires'> }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

/** `fresh` may be used; `stale` could not be renewed just now; `ended` is a logged-out state. */
export interface RefreshedSession {
  token: SessionToken;
  state: 'fresh' | 'stale' | 'ended';
  changed: boolean;
}

interface RefreshOptions {
  now: number;
  refresh: (token: SessionToken) => Promise<RefreshReply>;
  /** Shared by everything in this process, so that a page and its ten calls make one refresh. */
  inFlight: Map<string, Promise<RefreshReply>>;
}

/** How early a token is renewed: half a minute, or a fifth of a short life. */
const EARLY_MS = 30_000;
const EARLY_SHARE = 0.2;
/** How long an answer is kept for requests that still carry the cookie from before the refresh. */
const KEPT_MS = 10_000;

/** When a token issued at `now` should be renewed. */
export function refreshTime(now: number, expires: number): number {
  return expires - Math.min(EARLY_MS, Math.max(0, expires - now) * EARLY_SHARE);
}

/** The session with a valid access token, renewed through the refresh token when needed. */
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
    // An answer that never came is asked for again by the next request.
    if (reply.kind === 'unavailable') inFlight.delete(key);
    else setTimeout(() => inFlight.delete(key), keptFor(reply)).unref();
  });
  return started;
}

/** How long to keep an answer: at most half of what is left of its token's life. */
function keptFor(reply: RefreshReply): number {
  if (reply.kind !== 'refreshed') return KEPT_MS;
  return Math.min(KEPT_MS, Math.max(0, reply.token.accessTokenExpires - Date.now()) / 2);
}
