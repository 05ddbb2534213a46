import 'client-only';
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from '../api/api-shapes.ts';
import { isMine } from './chain-items.ts';

/** Within this distance of the newest message counts as being there. */
const NEAR_PX = 48;

/**
 * The scroll position in a chain. The list is laid out in reverse, so that it shows the newest message from the first paint
 * (`scrollTop` 0) on; somebody who has scrolled up stays where they are and is told how many messages have arrived.
 */
export function useChainScroll(messages: readonly Message[], reader: { id: number; type: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const before = useRef({ newest: 0, height: 0 });
  const newest = messages.at(-1)?.id ?? 0;
  const [atNewest, setAtNewest] = useState(true);
  const [seen, setSeen] = useState(newest);
  if (atNewest && seen !== newest) setSeen(newest);

  // Measuring forces a layout: avoid it while somebody types and at the newest message.
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
    /** Others' messages that arrived since the newest one was visible. */
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
