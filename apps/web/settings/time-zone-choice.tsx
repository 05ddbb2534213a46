'use client';

import { deviceTimeZone, groupTimeZones, timeZoneWords } from '@case-platform/words/time-zones';
import { timeWords } from '@case-platform/words/times';
import { useRouter } from 'next/navigation';
import { useId, useMemo, useState } from 'react';
import { accountProblem } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { Profile } from '../api/api-shapes.ts';
import { useClock } from '../look/clock.tsx';
import { setPreference } from '../look/preferences.ts';
import { useHydrated } from '../look/use-hydrated.ts';

interface Props {
  zones: readonly string[];
  /** The zone that was chosen on this device; null while it follows the device's own. */
  chosen: string | null;
}

/** In which zone all times are told: the device's own, or one that stays the same on journeys. Staff see it, too. */
export function TimeZoneChoice({ zones, chosen: initial }: Props) {
  const id = useId();
  const router = useRouter();
  const hydrated = useHydrated();
  const clock = useClock();
  const [chosen, setChosen] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  const device = hydrated ? deviceTimeZone() : null;
  const isTold = hydrated && clock.now > 0;
  const groups = useMemo(() => groupTimeZones(zones), [zones]);

  const choose = async (zone: string | null) => {
    setChosen(zone);
    setProblem(null);
    setPreference('chosen-zone', zone);
    setPreference('zone', zone ?? device);
    router.refresh();
    try {
      const body = { timezone: zone ?? device ?? 'UTC' };
      await apiBrowser<Profile>('/api/user/me', { method: 'PATCH', body });
    } catch (error) {
      setProblem(`This device uses that time zone, but we couldn’t save it for our staff. ${accountProblem(error)}`);
    }
  };

  return (
    <section className="panel p-5">
      <label className="font-medium" htmlFor={id}>
        Time zone
      </label>
      <p className="quiet mt-1 mb-3 text-small" id={`${id}-hint`}>
        We show times in this zone, and our staff know when to call you.
        {isTold && ` It’s ${timeWords(clock.now, clock)}.`}
      </p>
      <select
        id={id}
        className="select"
        aria-describedby={`${id}-hint`}
        value={chosen ?? ''}
        onChange={({ target }) => choose(target.value === '' ? null : target.value)}
      >
        <option value="">Same as this device{device === null ? '' : ` (${timeZoneWords(device)})`}</option>
        {groups.map((group) => (
          <optgroup key={group.words} label={group.words}>
            {group.zones.map(({ zone, words }) => (
              <option key={zone} value={zone}>
                {words}
                {group === groups[0] && isTold && `, now ${timeWords(clock.now, { zone })}`}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {problem !== null && (
        <p className="field-error mt-2" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
