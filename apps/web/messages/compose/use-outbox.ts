import 'client-only';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import type { Message } from '../../api/api-shapes.ts';
import { entriesOf, outboxOf } from './outbox.ts';
import type { OutboxEntry } from './outbox-entry.ts';

const NONE: readonly OutboxEntry[] = [];

/** A chain's outbox as a page shows it. It opens after the first render, because the server does not have its content. */
export function useOutbox(userId: number, chainId: number) {
  const client = useQueryClient();
  const outbox = useCallback(() => outboxOf(userId, chainId, client), [userId, chainId, client]);
  const subscribe = useCallback((listener: () => void) => outbox().subscribe(listener), [outbox]);
  const entries = useSyncExternalStore(
    subscribe,
    () => entriesOf(userId, chainId) ?? NONE,
    () => NONE,
  );
  return {
    entries,
    send: (text: string, files: File[]) => outbox().send(text, files),
    retry: (entry: OutboxEntry) => outbox().retry(entry),
    cancel: (key: string) => outbox().cancel(key),
    drop: (key: string) => outbox().drop(key),
    settle: (messages: readonly Message[]) => outbox().settle(messages),
  };
}
