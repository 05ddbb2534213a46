import 'client-only';
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from '../api/api-shapes.ts';
import { isMine } from './chain-items.ts';

/** So near to the newest message counts as being there. */
const NEAR_PX = 48;

/**
 * Where one reads in a chain. Its list is laid out in reverse, so that it stands at the newest message from the first
 * paint on (`scrollTop` 0) and stays there; who has scrolled up stays where they read, and learns what has come meanwhile.
 */
export function useChainScroll(messages: readonly Message[], reader: { id: number; type: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const before = useRef({ newest: 0, height: 0 });
  const newest = messages.at(-1)?.id ?? 0;
  const [atNewest, setAtNewest] = useState(true);
  const [seen, setSeen] = useState(newest);
  if (atNewest && seen !== newest) setSeen(newest);

  // Measuring makes the browser lay out the page at once: not while somebody writes, and not at the newest message.
  // biome-ignore lint/correctness/useExhaustiveDependencies: earlier messages change the height, too.
  useLayoutEffect(() => {
    const element = scroller.current;
    const { newest: known, height } = before.current;
    before.current = { newest, height: 0 };
    if (element === null || atNewest) return;
    const { scrollHeight, scrollTop } = element;
    const hasCome = known !== newest && height > 0;
    if (hasCome && scrollTop < -NEAR_PX) element.scrollTop = scrollTop - (scrollHeight - height);
    before.current.height = scrollHeight;
  }, [messages, newest, atNewest]);

  return {
    scroller,
    atNewest,
    /** Messages of others that have come since the newest one was in sight. */
    newCount: messages.filter((message) => message.id > seen && !isMine(message, reader)).length,
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
