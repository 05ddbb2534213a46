import { useSyncExternalStore } from 'react';

let live = false;
const listeners = new Set<() => void>();

/** Notes whether events arrive by themselves, or have to be asked for. */
export function setLive(next: boolean): void {
  if (next === live) return;
  live = next;
  for (const listener of listeners) listener();
}

/** Whether events arrive by themselves. */
export function useLive(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => live,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
