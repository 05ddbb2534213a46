import 'client-only';
import { useEffect, useEffectEvent, useState } from 'react';
import type { NewMessage } from './message-form.ts';
import { useOutbox } from './use-outbox.ts';

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
