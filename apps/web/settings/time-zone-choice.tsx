'use client';

import { deviceTimeZone } from '@case-platform/words/formats';
import { seekTimeZone, timeZoneWords } from '@case-platform/words/time-zone-list';
import { timeWords } from '@case-platform/words/times';
import { useRouter } from 'next/navigation';
import { useId, useRef, useState } from 'react';
import { accountProblem } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { Profile } from '../api/api-shapes.ts';
import { useClock } from '../look/clock.tsx';
import { Field } from '../look/field.tsx';
import { setPreference } from '../look/preferences.ts';
import { useEarlyValue } from '../look/use-early-value.ts';
import { useHydrated } from '../look/use-hydrated.ts';

interface Props {
  zones: readonly string[];
  /** The zone chosen on this device; null while times follow the device's zone. */
  chosen: string | null;
}

/** The zone of all shown times: the device's, or one that stays the same on trips. Staff see it too. */
export function TimeZoneChoice({ zones, chosen: initial }: Props) {
  const id = useId();
  const router = useRouter();
  const hydrated = useHydrated();
  const clock = useClock();
  const [chosen, setChosen] = useState(initial);
  const [typed, setTyped] = useState(wordsOf(initial));
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEarlyValue(input, wordsOf(initial), setTyped);
  const device = hydrated ? deviceTimeZone() : null;

  const choose = async (zone: string | null) => {
    setTyped(wordsOf(zone));
    setProblem(null);
    if (zone === chosen) return;
    setChosen(zone);
    setPreference('chosen-zone', zone);
    setPreference('zone', zone ?? device);
    router.refresh();
    try {
      const body = { timezone: zone ?? device ?? 'UTC' };
      await apiBrowser<Profile>('/api/user/me', { method: 'PATCH', body });
    } catch (error) {
      setProblem(`This device uses that time zone, but our staff may not see it yet. ${accountProblem(error)}`);
    }
  };

  /** Chooses a zone when the person has finished typing. A part of a name is enough if it matches only one zone. */
  const finish = () => {
    const zone = seekTimeZone(zones, typed);
    if (zone !== null || typed.trim() === '') void choose(zone);
    else setProblem('Choose a time zone from the list. Type a city, like Chicago or Paris.');
  };
  /** Chooses a zone at once if it was picked from the list. */
  const type = (words: string) => {
    setTyped(words);
    const zone = zones.find((one) => timeZoneWords(one) === words);
    if (zone !== undefined) void choose(zone);
  };

  return (
    <section className="panel p-5">
      <Field
        id={id}
        label="Time zone"
        hint={`We show times in this zone, and our staff know when to call you.${
          device !== null && clock.now > 0 ? ` It’s ${timeWords(clock.now, clock)}, ${timeZoneWords(chosen ?? device)}.` : ''
        }`}
        error={problem ?? undefined}
      >
        <input
          ref={input}
          id={id}
          className="input"
          type="search"
          list={`${id}-zones`}
          autoComplete="off"
          placeholder="Same as this device"
          aria-invalid={problem !== null}
          aria-describedby={`${id}-hint${problem === null ? '' : ` ${id}-error`}`}
          value={typed}
          onChange={({ target }) => type(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && finish()}
          onBlur={finish}
        />
        <datalist id={`${id}-zones`}>
          {zones.map((zone) => (
            <option key={zone} value={timeZoneWords(zone)} />
          ))}
        </datalist>
      </Field>
    </section>
  );
}

function wordsOf(zone: string | null): string {
  return zone === null ? '' : timeZoneWords(zone);
}
