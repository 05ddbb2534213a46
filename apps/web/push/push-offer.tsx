'use client';

import { Bell } from 'lucide-react';
import { useState } from 'react';
import { HomeScreenSteps } from './home-screen-steps.tsx';
import { declineOffer, isOfferDeclined } from './push-owner.ts';
import { usePush } from './use-push.ts';

/** Over the composer, as wide as it. */
const BAR = 'mx-auto flex w-full max-w-[52rem] gap-3 border-t border-hairline px-4 py-3';

/** Offered once, when a message was sent and an answer is awaited: to be told of it on this device. */
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
      <Bell className="quiet mt-0.5 shrink-0" size={20} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <h2 id="push-offer" className="font-medium">
          Be told when an answer comes?
        </h2>
        <p className="quiet text-small">
          {state === 'needs_home_screen' ? (
            <HomeScreenSteps />
          ) : (
            'This device then shows who wrote to you, never what they wrote. No advertising, and you can stop it any time.'
          )}
        </p>
        {problem !== null && (
          <p className="field-error" role="alert">
            We could not turn them on. {problem}
          </p>
        )}
        <div className="mt-2 flex flex-wrap gap-2">
          {state === 'off' && (
            <button
              type="button"
              className="btn btn-primary btn-sm"
              disabled={busy}
              onClick={() => {
                setAccepted(true);
                void turnOn();
              }}
            >
              {busy ? 'Turning on…' : 'Turn on notifications'}
            </button>
          )}
          <button type="button" className="btn btn-ghost btn-sm" onClick={decline}>
            Not now
          </button>
        </div>
      </div>
    </section>
  );
}

function Outcome({ on }: { on: boolean }) {
  return (
    <p className={`${BAR} quiet text-small`} role="status">
      {on
        ? 'Notifications are on for this device. You can change that in Settings.'
        : 'Your browser does not allow notifications now. Settings tells how to change that.'}
    </p>
  );
}
