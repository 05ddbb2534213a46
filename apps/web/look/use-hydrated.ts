import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Returns false on the server and in the browser's first render, and true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
