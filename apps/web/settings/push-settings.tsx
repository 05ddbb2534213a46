'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { Device, EventPreference } from '../api/api-shapes.ts';
import { Notice } from '../look/notice.tsx';
import { HomeScreenSteps } from '../push/home-screen-steps.tsx';
import { DEVICES_KEY } from '../push/push-device.ts';
import { PushDevices } from '../push/push-devices.tsx';
import { usePush } from '../push/use-push.ts';
import { NotificationPreferences } from './notification-preferences.tsx';

interface Props {
  userId: number;
  devices: Device[];
  preferences: EventPreference[];
}

/** The settings of notifications: this device, the person's other devices, and the events. */
export function PushSettings({ userId, devices, preferences }: Props) {
  const push = usePush(userId);
  const client = useQueryClient();
  const change = async (work: () => Promise<void>) => {
    await work();
    await client.invalidateQueries({ queryKey: DEVICES_KEY });
  };
  return (
    <>
      <section className="panel p-5" aria-labelledby="notifications">
        <h2 id="notifications" className="font-medium">
          Notifications on this device
        </h2>
        <p className="quiet mt-1 text-small">
          They say who wrote or that a request is waiting, never what it says, because others may see your screen.
        </p>
        <div className="mt-4">
          {push.state === null && <div className="skeleton-box h-11 w-44" />}
          {push.state === 'off' && (
            <button
              type="button"
              className="btn btn-primary"
              disabled={push.busy}
              data-busy={push.busy}
              onClick={() => change(push.turnOn)}
            >
              {push.busy ? 'Turning on…' : 'Turn on notifications'}
            </button>
          )}
          {push.state === 'on' && (
            <>
              <p className="mb-3">
                <span className="state-pill is-active">On</span>
              </p>
              <button
                type="button"
                className="btn"
                disabled={push.busy}
                data-busy={push.busy}
                onClick={() => change(push.turnOff)}
              >
                {push.busy ? 'Turning off…' : 'Turn off on this device'}
              </button>
            </>
          )}
          {push.state === 'denied' && (
            <Notice kind="waiting" title="Your browser blocks our notifications">
              Open the site settings next to the address, usually behind a padlock, set Notifications to Allow, then come back
              here.
            </Notice>
          )}
          {push.state === 'needs_home_screen' && (
            <Notice kind="info" title="Add this page to your home screen first">
              <HomeScreenSteps />
            </Notice>
          )}
          {push.state === 'unsupported' && (
            <Notice kind="info" title="This browser can’t show notifications">
              You still get our emails. To get notifications, use Chrome, Edge, Firefox or Safari.
            </Notice>
          )}
          {push.problem !== null && (
            <Notice kind="error" title="We couldn’t change that" className="mt-4">
              {push.problem} Try again.
            </Notice>
          )}
        </div>
      </section>
      <PushDevices initial={devices} onRemoveThis={push.turnOff} />
      <NotificationPreferences initial={preferences} />
    </>
  );
}
