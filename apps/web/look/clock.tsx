'use client';

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { setPreference } from '../shell/preferences.ts';
import { calendarDayWords, dueWords, exactTimeWords, shortTimeWords, timeWords } from './time-words.ts';

interface ClockValue {
  timeZone: string;
  now: number;
}

const ClockContext = createContext<ClockValue>({ timeZone: 'UTC', now: 0 });

interface ClockProps extends ClockValue {
  /** Whether the person has chosen the zone; else it follows the device. */
  isChosen: boolean;
  children: ReactNode;
}

/**
 * The person's time zone and the present, the same on the server and in the browser's first render. A browser in another
 * zone than the one remembered corrects it, unless one was chosen, and the minutes go on from there.
 */
export function Clock({ timeZone, now, isChosen, children }: ClockProps) {
  const [value, setValue] = useState<ClockValue>({ timeZone, now });
  useEffect(() => {
    const actual = isChosen ? timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (actual !== timeZone) setPreference('zone', actual);
    const tick = () => setValue({ timeZone: actual, now: Date.now() });
    tick();
    const timer = setInterval(tick, 30_000);
    return () => clearInterval(timer);
  }, [timeZone, isChosen]);
  return <ClockContext value={value}>{children}</ClockContext>;
}

/** The person's time zone and the present. */
export function useClock(): ClockValue {
  return useContext(ClockContext);
}

/** The day (YYYY-MM-DD) that something is due, in words. */
export function DueDay({ day }: { day: string }) {
  const { timeZone, now } = useClock();
  return (
    <time dateTime={day} title={calendarDayWords(day)} suppressHydrationWarning>
      {dueWords(day, now, timeZone)}
    </time>
  );
}

interface TimeProps {
  at: string;
  clockOnly?: boolean;
  /** Within a sentence: "yesterday". */
  inText?: boolean;
  className?: string;
}

/** A moment: near ones short, the exact one on hover and for screen readers. */
export function Time({ at, clockOnly = false, inText = false, className }: TimeProps) {
  const { timeZone, now } = useClock();
  const exact = exactTimeWords(at, timeZone);
  const words = clockOnly ? timeWords(at, timeZone) : shortTimeWords(at, now, timeZone);
  return (
    <time dateTime={at} title={exact} className={className} suppressHydrationWarning>
      <span aria-hidden="true" suppressHydrationWarning>
        {inText ? words.replace('Yesterday', 'yesterday') : words}
      </span>
      <span className="sr-only" suppressHydrationWarning>
        {exact}
      </span>
    </time>
  );
}
