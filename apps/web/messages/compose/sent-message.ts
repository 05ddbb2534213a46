import { useSyncExternalStore } from 'react';

let sent = false;
const listeners = new Set<() => void>();

/** Remembers that one of this person's messages was delivered. */
export function noteSent(): void {
  sent = true;
  for (const listener of listeners) listener();
}

/** Whether a message was sent since the page was loaded. */
export function useHasSent(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => sent,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
