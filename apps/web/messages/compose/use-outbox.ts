import 'client-only';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import type { MessagePlace } from '../../drafts/drafts.ts';
import { entriesOf, hasSentMessage, outboxOf } from './outbox.ts';
import type { OutboxEntry } from './outbox-reducer.ts';

const NONE: readonly OutboxEntry[] = [];

/** An outbox as a page shows it. It opens after the first render, because the server does not have its content. */
export function useOutbox(userId: number, place: MessagePlace) {
  const client = useQueryClient();
  const outbox = useCallback(() => outboxOf(userId, place, client), [userId, place, client]);
  const subscribe = useCallback((listener: () => void) => outbox().subscribe(listener), [outbox]);
  const entries = useSyncExternalStore(
    subscribe,
    () => entriesOf(userId, place) ?? NONE,
    () => NONE,
  );
  const hasSent = useSyncExternalStore(subscribe, hasSentMessage, () => false);
  return { outbox, entries, hasSent };
}
