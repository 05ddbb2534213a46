'use client';

import { dayHeading } from '@case-platform/words/times';
import { memo, useState } from 'react';
import type { Chain, Message } from '../api/api-shapes.ts';
import { Time, useClock } from '../look/clock.tsx';
import { lazyDialog } from '../look/lazy-dialog.tsx';
import { Attachments } from './attachments.tsx';
import { canTakeBack, chainItems } from './chain-items.ts';
import { roleInChain } from './chain-words.ts';
import { MessageText } from './message-text.tsx';

const Retraction = lazyDialog(async () => (await import('./retraction.tsx')).Retraction);

interface Props {
  chain: Chain;
  messages: readonly Message[];
  reader: { id: number; type: string };
  newFromId: number | null;
}

/** The messages of a chain by day. Memoized, so that typing an answer does not render them again. */
export const ChainMessages = memo(function ChainMessages({ chain, messages, reader, newFromId }: Props) {
  const clock = useClock();
  return chainItems(messages, reader, clock.zone, newFromId).map((item) => {
    if (item.kind === 'day') {
      return (
        <li key={item.key} className="day-separator">
          <span>{dayHeading(item.at, clock)}</span>
        </li>
      );
    }
    if (item.kind === 'new') {
      return (
        <li key={item.key} className="day-separator is-new">
          <span>New</span>
        </li>
      );
    }
    return <ChainMessage key={item.key} chain={chain} message={item.message} mine={item.mine} follows={item.follows} />;
  });
});

interface MessageProps {
  chain: Chain;
  message: Message;
  mine: boolean;
  follows: boolean;
}

function ChainMessage({ chain, message, mine, follows }: MessageProps) {
  const staff = message.from_type === 'admin';
  const side = mine ? 'is-mine' : staff ? 'is-staff' : '';
  return (
    <li className={`message group ${side} ${follows ? '-mt-3' : ''}`}>
      <div className={follows ? 'sr-only' : 'message-meta'}>
        <span className={mine ? 'sr-only' : 'message-from'}>{mine ? 'You' : message.from_name}</span>
        {!mine && (
          <span className="message-role">{roleInChain({ user_type: message.from_type, user_id: message.from_id }, chain)}</span>
        )}
        <Time at={message.created_at} clockOnly className="message-time" />
      </div>
      {message.retracted_at !== null ? (
        <div className="bubble quiet border-dashed! bg-transparent! italic">
          {mine ? 'You took this message back.' : `${message.from_name} took this message back.`}
        </div>
      ) : (
        <div className="bubble" dir="auto" title={follows ? message.from_name : undefined}>
          <MessageText text={message.message} />
        </div>
      )}
      <Attachments files={message.files} />
      {mine && <TakeBack message={message} />}
    </li>
  );
}

/** The button is visible on hover and focus, and always on touch screens. */
function TakeBack({ message }: { message: Message }) {
  const { now } = useClock();
  const [asking, setAsking] = useState(false);
  if (!canTakeBack(message, now)) return null;
  return (
    <>
      <button
        type="button"
        className="btn btn-ghost btn-xs quiet -mt-0.5 pointer-fine:opacity-0 pointer-fine:group-hover:opacity-100 pointer-fine:focus-visible:opacity-100"
        onClick={() => setAsking(true)}
      >
        Take back
      </button>
      {asking && <Retraction message={message} onClose={() => setAsking(false)} />}
    </>
  );
}
