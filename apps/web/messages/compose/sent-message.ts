import { useSyncExternalStore } from 'react';

let hasSent = false;
const listeners = new Set<() => void>();

/** Remembers that the API has accepted a message of this person. */
export function noteSent(): void {
  hasSent = true;
  for (const listener of listeners) listener();
}

/** Returns true once a message was hasSent from this document. */
export function useHasSent(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => hasSent,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
