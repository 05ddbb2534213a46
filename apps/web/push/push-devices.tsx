'use client';

import { browserWords, isHandheld } from '@case-platform/words/devices';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { errorMessage } from '../api/api-error.ts';
import type { Device } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { DEVICES_KEY, listDevices, removeDevice } from './push-device.ts';

interface Props {
  initial: Device[];
  onRemoveThis: () => Promise<void>;
}

/** The devices that get notifications. A device that was removed here does not come back by itself. */
export function PushDevices({ initial, onRemoveThis }: Props) {
  const client = useQueryClient();
  const { data: devices } = useQuery({
    queryKey: DEVICES_KEY,
    queryFn: ({ signal }) => listDevices(signal),
    initialData: initial,
    // The server does not know which device this browser is, so the list is fetched again.
    initialDataUpdatedAt: 0,
  });
  const [leaving, setLeaving] = useState<Device | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const remove = async ({ id, current }: Device) => {
    setBusy(true);
    setProblem(null);
    try {
      await (current ? onRemoveThis() : removeDevice(id));
    } catch (error) {
      setProblem(errorMessage(error));
    }
    await client.invalidateQueries({ queryKey: DEVICES_KEY });
    setBusy(false);
    setLeaving(null);
  };

  return (
    <section className="panel pt-5" aria-labelledby="push-devices">
      <h2 id="push-devices" className="px-5 font-medium">
        Devices with notifications
      </h2>
      {problem !== null && (
        <p className="field-error px-5" role="alert">
          We couldn’t remove the device. {problem}
        </p>
      )}
      {devices.length === 0 ? (
        <p className="quiet px-5 pt-1 pb-5 text-small">
          None yet. Turn notifications on above, on each phone or computer where you want them.
        </p>
      ) : (
        <ul className="mt-3 border-t border-hairline">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} onRemove={() => setLeaving(device)} />
          ))}
        </ul>
      )}
      {leaving !== null && (
        <ConfirmDialog
          title={`Stop notifications on ${browserWords(leaving.user_agent)}?`}
          action="Stop them"
          doing="Stopping…"
          keep="Cancel"
          busy={busy}
          onConfirm={() => void remove(leaving)}
          onClose={() => setLeaving(null)}
        >
          {leaving.current ? 'This is the device in front of you.' : 'You can only turn them on again on that device.'}
        </ConfirmDialog>
      )}
    </section>
  );
}

function DeviceRow({ device, onRemove }: { device: Device; onRemove: () => void }) {
  const { user_agent, current, needs_renewal, created_at } = device;
  const Icon = isHandheld(user_agent) ? Smartphone : Monitor;
  const name = browserWords(user_agent);
  return (
    <li className="flex items-center gap-4 border-hairline px-5 py-3 not-last:border-b">
      <Icon className="quiet shrink-0" size={20} strokeWidth={1.75} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p title={user_agent === '' ? undefined : user_agent}>
          {name}
          {current && <span className="state-pill is-active ms-2">This device</span>}
        </p>
        <p className="quiet text-small">
          {needs_renewal ? 'Paused until you open this site on it' : 'Since '}
          {!needs_renewal && <Time at={created_at} />}
        </p>
      </div>
      <button type="button" className="btn btn-ghost btn-sm" onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </button>
    </li>
  );
}
