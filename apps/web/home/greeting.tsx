'use client';

import { greetingWords } from '@case-platform/words/greeting';
import { useClock } from '../look/clock.tsx';

/** The title of the home page, which follows the time of day in the person's zone. */
export function Greeting({ name }: { name: string }) {
  const clock = useClock();
  const firstName = name.includes('@') ? '' : `, ${name.split(' ')[0]}`;
  return (
    <h1 className="page-title" suppressHydrationWarning>
      {greetingWords(clock)}
      {firstName}
    </h1>
  );
}
