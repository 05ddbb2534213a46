'use client';

import { deviceTimeZone, languageOfDates } from '@case-platform/words/formats';
import { exactTimeWords, shortTimeInText, shortTimeWords, timeWords } from '@case-platform/words/times';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { setPreference } from './preferences.ts';

interface ClockValue {
  zone: string;
  now: number;
}

const ClockContext = createContext<ClockValue>({ zone: 'UTC', now: 0 });

interface ClockProps extends ClockValue {
  /** True if the person has chosen the zone; otherwise it follows the device. */
  isChosen: boolean;
  children: ReactNode;
}

/**
 * Provides the person's time zone and the current time, equal on the server and in the browser's first render. Afterwards the
 * browser updates the time, and corrects the remembered zone if the device is in another one and none was chosen.
 */
export function Clock({ zone, now, isChosen, children }: ClockProps) {
  const [value, setValue] = useState<ClockValue>({ zone, now });
  useEffect(() => {
    const actual = isChosen ? zone : deviceTimeZone();
    if (actual !== zone) setPreference('zone', actual);
    const tick = () => setValue({ zone: actual, now: Date.now() });
    tick();
    const timer = setInterval(tick, 30_000);
    return () => clearInterval(timer);
  }, [zone, isChosen]);
  return <ClockContext value={value}>{children}</ClockContext>;
}

export function useClock(): ClockValue {
  return useContext(ClockContext);
}

interface TimeProps {
  at: string;
  clockOnly?: boolean;
  /** For use within a sentence: "yesterday" instead of "Yesterday". */
  inText?: boolean;
  className?: string;
}

/** A time in short form; the exact time is shown on hover and read by screen readers. */
export function Time({ at, clockOnly = false, inText = false, className }: TimeProps) {
  const clock = useClock();
  const exact = exactTimeWords(at, clock);
  const words = clockOnly ? timeWords(at, clock) : inText ? shortTimeInText(at, clock) : shortTimeWords(at, clock);
  return (
    <time dateTime={at} lang={languageOfDates()} title={exact} className={className} suppressHydrationWarning>
      <span aria-hidden="true" suppressHydrationWarning>
        {words}
      </span>
      <span className="sr-only" suppressHydrationWarning>
        {exact}
      </span>
    </time>
  );
}
