/**
 * Remembers sign-ins that have ended here, so that a response which was still refreshing when the person signed out cannot set
 * the session cookie again. Other processes, and this one after a restart, are told by the API, which refuses every call that
 * names an ended sign-in (end-session.ts).
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

/** Marks one sign-in as ended for as long as its cookie could still be presented. */
export function markSignedOut(sid: string, now: number, keptForMs: number): void {
  const ended = marks();
  for (const [id, until] of ended) {
    if (until > now && ended.size < MOST_MARKS) break;
    ended.delete(id);
  }
  ended.set(sid, now + keptForMs);
  for (const end of streams().get(sid) ?? []) end();
}

/**
 * Calls `end` when this sign-in ends, for what goes on longer than a request: a stream of events in another tab.
 * @returns a function that forgets it.
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

/** Whether this sign-in has ended. */
export function isSignedOut(sid: string, now: number): boolean {
  const until = marks().get(sid);
  return until !== undefined && until > now;
}
