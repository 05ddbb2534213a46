import { useSyncExternalStore } from 'react';

let live = false;
const listeners = new Set<() => void>();

/** Sets whether live events arrive, or the queries have to poll. */
export function setLive(next: boolean): void {
  if (next === live) return;
  live = next;
  for (const listener of listeners) listener();
}

/** Whether live events arrive. */
export function useLive(): boolean {
  return useSyncExternalStore(subscribe, isLive, () => false);
}

/** Whether live events arrive, as of now. */
export function isLive(): boolean {
  return live;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
