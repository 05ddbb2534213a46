import 'client-only';
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from '../api/api-shapes.ts';
import { isOwnMessage } from './chain-items.ts';

/** A position within this distance of the newest message counts as being there. */
const NEAR_PX = 48;

/**
 * The scroll position in a chain. The list is laid out in reverse, so that the first paint shows the newest message
 * (`scrollTop` 0). A person who has scrolled up keeps their place and sees how many messages have arrived.
 */
export function useChainScroll(messages: readonly Message[], reader: { id: number; type: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const before = useRef({ newest: 0, height: 0 });
  const newest = messages.at(-1)?.id ?? 0;
  const [atNewest, setAtNewest] = useState(true);
  const [seen, setSeen] = useState(newest);
  if (atNewest && seen !== newest) setSeen(newest);

  // Measuring forces a layout, so it is avoided while the person types and at the newest message.
  // biome-ignore lint/correctness/useExhaustiveDependencies: loading earlier messages also changes the height.
  useLayoutEffect(() => {
    const element = scroller.current;
    const { newest: previous, height } = before.current;
    before.current = { newest, height: 0 };
    if (element === null || atNewest) return;
    const { scrollHeight, scrollTop } = element;
    const hasCome = previous !== newest && height > 0;
    if (hasCome && scrollTop < -NEAR_PX) element.scrollTop = scrollTop - (scrollHeight - height);
    before.current.height = scrollHeight;
  }, [messages, newest, atNewest]);

  return {
    scroller,
    atNewest,
    /** The number of other people's messages that arrived since the newest one was visible. */
    newCount: messages.filter((message) => message.id > seen && !isOwnMessage(message, reader)).length,
    onScroll({ currentTarget }: UIEvent<HTMLDivElement>) {
      before.current.height = currentTarget.scrollHeight;
      setAtNewest(currentTarget.scrollTop > -NEAR_PX);
    },
    toNewest() {
      scroller.current?.scrollTo({ top: 0 });
      setAtNewest(true);
    },
  };
}
