'use client';

import { Bell, X } from 'lucide-react';
import { useState } from 'react';
import { HomeScreenSteps } from './home-screen-steps.tsx';
import { declineOffer, isOfferDeclined } from './push-owner.ts';
import { usePush } from './use-push.ts';

/** The bar above the composer, with the same width. */
const BAR = 'mx-auto flex w-full max-w-[52rem] items-center gap-3 border-t border-hairline px-4 py-2';

/** Offers notifications on this device after a message was sent, until the person declines once. */
export default function PushOffer({ userId }: { userId: number }) {
  const { state, busy, problem, turnOn } = usePush(userId);
  const [over, setOver] = useState(isOfferDeclined);
  const [accepted, setAccepted] = useState(false);
  const decline = () => {
    declineOffer();
    setOver(true);
  };
  if (over || state === null || state === 'unsupported') return null;
  if (state === 'on' || state === 'denied') return accepted ? <Outcome on={state === 'on'} /> : null;
  return (
    <section className={BAR} aria-labelledby="push-offer">
      <Bell className="quiet shrink-0" size={20} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <h2 id="push-offer" className="leading-snug font-medium">
          Get notified when someone answers?
        </h2>
        {state === 'needs_home_screen' && (
          <p className="quiet text-small">
            <HomeScreenSteps />
          </p>
        )}
        {problem !== null && (
          <p className="field-error" role="alert">
            We couldn’t turn them on. {problem}
          </p>
        )}
      </div>
      {state === 'off' && (
        <button
          type="button"
          className="btn btn-primary btn-sm flex-none"
          aria-label="Turn on notifications"
          title="This device then shows who wrote to you, never what they wrote"
          disabled={busy}
          data-busy={busy}
          onClick={() => {
            setAccepted(true);
            void turnOn();
          }}
        >
          {busy ? 'Turning on…' : 'Turn on'}
        </button>
      )}
      <button type="button" className="btn btn-ghost btn-sm btn-square flex-none" aria-label="Not now" onClick={decline}>
        <X size={18} aria-hidden="true" />
      </button>
    </section>
  );
}

function Outcome({ on }: { on: boolean }) {
  return (
    <p className={`${BAR} quiet text-small`} role="status">
      {on
        ? 'Notifications are on for this device. You can change that in Settings.'
        : 'Your browser blocks notifications. Settings shows how to change that.'}
    </p>
  );
}
