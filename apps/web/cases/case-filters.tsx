'use client';

import { CASE_STATES, caseStateInWords } from '@case-platform/words/case-states';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useRef, useState, useTransition } from 'react';
import { useEarlyValue } from '../look/use-early-value.ts';
import { CASE_ORDERS, type CaseFilter, caseFilterAddress } from './case-filter.ts';

/** Searches once the person pauses typing. */
const PAUSE_MS = 250;

/** Search, state and order of the cases. They only change the address; the list follows it. */
export function CaseFilters({ filter }: { filter: CaseFilter }) {
  const router = useRouter();
  const path = usePathname();
  const [loading, startTransition] = useTransition();
  const { status, sort, q } = filter;
  const show = (next: CaseFilter) =>
    startTransition(() => router.replace(path + caseFilterAddress(next), { scroll: false }));
  return (
    <search className="mb-4 flex flex-wrap gap-2" aria-busy={loading}>
      <SearchField
        asked={q ?? ''}
        onAsk={(words) => {
          const { q: _, ...others } = filter;
          show(words === '' ? others : { ...others, q: words });
        }}
      />
      <select
        className="select w-auto! min-w-36 flex-1 sm:flex-none"
        aria-label="State"
        value={status ?? ''}
        onChange={({ target }) => {
          const chosen = CASE_STATES.find((one) => one === target.value);
          const { status: _, ...others } = filter;
          show(chosen === undefined ? others : { ...others, status: chosen });
        }}
      >
        <option value="">All states</option>
        {CASE_STATES.map((one) => (
          <option key={one} value={one}>
            {caseStateInWords(one).words}
          </option>
        ))}
      </select>
      <select
        className="select w-auto! min-w-36 flex-1 sm:flex-none"
        aria-label="Sort by"
        value={sort ?? CASE_ORDERS[0].sort}
        onChange={({ target }) => {
          const chosen = CASE_ORDERS.find((one) => one.sort === target.value);
          show({ ...filter, ...(chosen && { sort: chosen.sort }) });
        }}
      >
        {CASE_ORDERS.map((one) => (
          <option key={one.sort} value={one.sort}>
            {one.words}
          </option>
        ))}
      </select>
    </search>
  );
}

function SearchField({ asked, onAsk }: { asked: string; onAsk: (words: string) => void }) {
  const [words, setWords] = useState(asked);
  const sought = useRef(asked);
  const ask = useRef(onAsk);
  const input = useRef<HTMLInputElement>(null);
  useEarlyValue(input, asked, setWords);
  useEffect(() => {
    ask.current = onAsk;
  });
  // The address changed otherwise: by going back or clearing the filters.
  useEffect(() => {
    if (asked !== sought.current) setWords(asked);
    sought.current = asked;
  }, [asked]);
  useEffect(() => {
    const q = words.trim();
    if (q === sought.current) return;
    const timer = setTimeout(() => {
      sought.current = q;
      ask.current(q);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <input
      ref={input}
      type="search"
      className="input w-full sm:w-auto sm:flex-1"
      placeholder="Search cases"
      aria-label="Search cases"
      maxLength={SEARCH_MAX}
      value={words}
      onChange={(event) => setWords(event.target.value)}
    />
  );
}
