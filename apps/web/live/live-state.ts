import { useSyncExternalStore } from 'react';

let live = false;
const listeners = new Set<() => void>();

/** Sets whether live events arrive. Queries poll while they do not. */
export function setLive(next: boolean): void {
  if (next === live) return;
  live = next;
  for (const listener of listeners) listener();
}

export function useLive(): boolean {
  return useSyncExternalStore(subscribe, isLive, () => false);
}

export function isLive(): boolean {
  return live;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
