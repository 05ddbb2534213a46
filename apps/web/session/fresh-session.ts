import type { Visitor } from '../api/visitor.ts';
import { postRefresh } from './api-auth.ts';
import { type RefreshedSession, type RefreshReply, refreshSession } from './refresh-session.ts';
import type { SessionToken } from './session-shapes.ts';

/** proxy.ts and the routes are separate bundles of one process; the symbol lets them share what is under way. */
const KEY = Symbol.for('case-platform.refreshes');
type Shared = typeof globalThis & { [KEY]?: Map<string, Promise<RefreshReply>> };

/** The session with a usable access token, refreshed once for everybody who asks at the same time. */
export function freshSession(token: SessionToken, visitor: Visitor): Promise<RefreshedSession> {
  const shared: Shared = globalThis;
  shared[KEY] ??= new Map();
  const refresh = (session: SessionToken) => postRefresh(session, visitor);
  return refreshSession(token, { now: Date.now(), refresh, inFlight: shared[KEY] });
}
