'use client';

import { useClock } from '../look/clock.tsx';
import { greeting } from '../look/time-words.ts';

/** The title of the home page, by the time of day where the person is. */
export function Greeting({ name }: { name: string }) {
  const { timeZone, now } = useClock();
  const given = name.includes('@') ? '' : `, ${name.split(' ')[0]}`;
  return (
    <h1 className="page-title" suppressHydrationWarning>
      {greeting(now, timeZone)}
      {given}
    </h1>
  );
}
