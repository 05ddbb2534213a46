'use client';

import { useState } from 'react';
import { useCountdown } from '../look/use-countdown.ts';

/** The API sends at most one code a minute (TWO-FACTOR-7). */
const RESEND_AFTER_SECONDS = 60;

export interface ResendOutcome {
  sent: boolean;
  /** The seconds until another code can be requested. */
  wait: number;
}

export function ResendButton({ onResend }: { onResend: () => Promise<ResendOutcome | null> }) {
  const [secondsLeft, restart] = useCountdown(RESEND_AFTER_SECONDS);
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle');
  const resend = async () => {
    setState('busy');
    const outcome = await onResend();
    if (outcome === null) return;
    setState(outcome.sent ? 'sent' : 'idle');
    restart(outcome.sent ? RESEND_AFTER_SECONDS : outcome.wait);
  };
  return (
    <>
      <button
        type="button"
        className="btn btn-ghost btn-sm tabular-nums"
        onClick={resend}
        disabled={secondsLeft > 0 || state === 'busy'}
        data-busy={state === 'busy'}
      >
        {secondsLeft > 0 ? `New code in ${secondsLeft} s` : state === 'busy' ? 'Sending…' : 'Send a new code'}
      </button>
      <span className="w-full text-small empty:hidden" role="status">
        {state === 'sent' ? 'We sent a new code. The one before no longer works.' : ''}
      </span>
    </>
  );
}
