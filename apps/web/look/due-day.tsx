'use client';

import { dueWords, longDayWords } from '@case-platform/words/day-words';
import { useClock } from './clock.tsx';

/** The day (YYYY-MM-DD) that something is due, in words. */
export function DueDay({ day }: { day: string }) {
  const clock = useClock();
  return (
    <time dateTime={day} title={longDayWords(day)} suppressHydrationWarning>
      {dueWords(day, clock)}
    </time>
  );
}
