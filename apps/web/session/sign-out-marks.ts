/**
 * Remembers sign-ins that have ended in this process, so that a response that was still refreshing at the sign-out cannot set
 * the session cookie again. In other processes, and here after a restart, the API rejects every call that names an ended sign-in
 * (WEB-11, end-session.ts).
 */
const KEY = Symbol.for('case-platform.sign-out-marks');
const MOST_MARKS = 100_000;

const STREAMS = Symbol.for('case-platform.session-streams');

type Shared = typeof globalThis & { [KEY]?: Map<string, number>; [STREAMS]?: Map<string, Set<() => void>> };

function marks(): Map<string, number> {
  const shared: Shared = globalThis;
  shared[KEY] ??= new Map();
  return shared[KEY];
}

/** Marks a sign-in as ended for as long as its cookie could come back. Times are in milliseconds. */
export function markSignedOut(sid: string, now: number, lifetimeMs: number): void {
  const ended = marks();
  for (const [id, until] of ended) {
    if (until > now && ended.size < MOST_MARKS) break;
    ended.delete(id);
  }
  ended.set(sid, now + lifetimeMs);
  for (const end of streams().get(sid) ?? []) end();
}

/**
 * Calls `end` when this sign-in ends, for example to end the event stream of another tab.
 * @returns a function that removes the listener.
 */
export function onSignedOut(sid: string, end: () => void): () => void {
  const all = streams();
  const own = all.get(sid) ?? new Set();
  all.set(sid, own.add(end));
  return () => {
    own.delete(end);
    if (own.size === 0 && all.get(sid) === own) all.delete(sid);
  };
}

function streams(): Map<string, Set<() => void>> {
  const shared: Shared = globalThis;
  shared[STREAMS] ??= new Map();
  return shared[STREAMS];
}

export function isSignedOut(sid: string, now: number): boolean {
  const until = marks().get(sid);
  return until !== undefined && until > now;
}
