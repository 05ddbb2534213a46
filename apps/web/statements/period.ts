import { dayOf } from '@case-platform/words/days';

/** Days of a statement, both of them included. */
export interface Period {
  from: string;
  to: string;
}

/** What is asked of the API; the API says what it takes. */
export function periodQuery({ from, to }: Record<string, string | string[] | undefined>): string {
  const given = Object.entries({ from, to }).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The periods that people ask for most, up to a bank's day of now. */
export function commonPeriods(now: Date): (Period & { words: string })[] {
  const today = dayOf(now, 'America/New_York');
  const month = today.slice(0, 7);
  const year = today.slice(0, 4);
  const before = new Date(Date.parse(`${month}-01`) - 86_400_000).toISOString().slice(0, 10);
  return [
    { words: 'This month', from: `${month}-01`, to: today },
    { words: 'Last month', from: `${before.slice(0, 7)}-01`, to: before },
    { words: 'This year', from: `${year}-01-01`, to: today },
    { words: 'Last year', from: `${Number(year) - 1}-01-01`, to: `${Number(year) - 1}-12-31` },
  ];
}
