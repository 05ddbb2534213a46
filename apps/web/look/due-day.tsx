'use client';

import { dueWords, exactDayWords, longDayWords } from '@case-platform/words/day-words';
import { useClock } from './clock.tsx';

/** The day (YYYY-MM-DD) on which something is due. */
export function DueDay({ day }: { day: string }) {
  const clock = useClock();
  return (
    <time dateTime={day} title={longDayWords(day)} suppressHydrationWarning>
      {dueWords(day, clock)}
    </time>
  );
}

/** The day (YYYY-MM-DD) on which money arrives: "Tue, Nov 24". */
export function MoneyDay({ day }: { day: string }) {
  const clock = useClock();
  return (
    <time className="whitespace-nowrap" dateTime={day} title={longDayWords(day)} suppressHydrationWarning>
      {exactDayWords(day, clock)}
    </time>
  );
}
