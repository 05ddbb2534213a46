import 'client-only';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { MessagePlace } from '../../drafts/drafts.ts';
import type { NewMessage } from './message-form.ts';
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

/**
 * The first message of a chain as its form shows it. Sending continues when the form closes. `onStart` gets the id of the new chain
 * if the form is still shown when the chain begins, because a person who has gone to another page stays there.
 */
export function useFirstMessage(userId: number, place: 'new' | `about-${number}`, onStart: (chainId: number) => void) {
  const { outbox, entries } = useOutbox(userId, place);
  const [isLeaving, setLeaving] = useState(false);
  const leave = useEffectEvent((chainId: number) => {
    setLeaving(true);
    onStart(chainId);
  });
  useEffect(() => {
    const unsubscribe = outbox().onStart((chainId) => leave(chainId));
    return () => {
      unsubscribe();
      // Its writer has seen the failure, and the message is in the form.
      outbox().discardFailed();
    };
  }, [outbox]);
  const entry = entries[0] ?? null;
  return {
    entry,
    isBusy: isLeaving || (entry !== null && entry.state !== 'failed'),
    send: (message: NewMessage) => outbox().send(message),
    cancel: () => entry !== null && outbox().cancel(entry.key),
  };
}
