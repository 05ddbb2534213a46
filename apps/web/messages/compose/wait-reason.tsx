'use client';

import { waitWords } from '@case-platform/words/times';
import { Hourglass, WifiOff } from 'lucide-react';
import { useState } from 'react';
import { useCountdown } from '../../look/use-countdown.ts';
import type { OutboxEntry } from './outbox-reducer.ts';

/** Says why a message waits: for the network if `goesAt` is null, otherwise for the rate limit. */
export function WaitReason({ goesAt }: Pick<OutboxEntry, 'goesAt'>) {
  if (goesAt !== null) return <RateWait key={goesAt} goesAt={goesAt} />;
  return (
    <span>
      <WifiOff size={16} aria-hidden="true" className="me-1.5 inline align-[-0.15em]" />
      You’re offline. We’ll send it when you’re back online.
    </span>
  );
}

function RateWait({ goesAt }: { goesAt: number }) {
  const [seconds] = useState(() => Math.max(1, Math.ceil((goesAt - Date.now()) / 1000)));
  const [secondsLeft] = useCountdown(seconds);
  return (
    <span>
      <Hourglass size={16} aria-hidden="true" className="me-1.5 inline align-[-0.15em]" />
      You’ve sent many messages in a minute. We’ll send this one{' '}
      <span aria-live="off">{secondsLeft === 0 ? 'now' : `in ${waitWords(secondsLeft)}`}</span>. Keep this site open.
    </span>
  );
}
