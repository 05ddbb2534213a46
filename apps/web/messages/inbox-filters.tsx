'use client';

import { SEARCH_MAX } from '@case-platform/words/limits';
import { SEARCH_HINT } from '@case-platform/words/messages/search-hint';
import { Search, SearchX, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useEarlyValue } from '../look/use-early-value.ts';
import { type ChainFilter, filterAddress } from './chain-paths.ts';
import { useCases } from './queries.ts';

const SHOWS = [
  { words: 'All', part: {} },
  { words: 'Unread', part: { unread: true } },
  { words: 'Open', part: { status: 'open' } },
  { words: 'Closed', part: { status: 'closed' } },
] as const satisfies { words: string; part: Pick<ChainFilter, 'unread' | 'status'> }[];

/** A search begins after a pause in typing of this length. */
const PAUSE_MS = 250;

/** The search and filters of the inbox. They only change the URL; the list follows it (PAGE-3). */
export function InboxFilters({ filter }: { filter: ChainFilter }) {
  return (
    <search className="flex flex-none flex-col gap-2 border-b border-(--hairline) px-4 py-2.5">
      <SearchField filter={filter} />
      <div className="flex flex-wrap items-center gap-1.5">
        {SHOWS.map(({ words, part }) => {
          const address = filterAddress({ ...only(filter), ...part });
          return (
            <button
              key={words}
              type="button"
              className="btn btn-ghost btn-sm border-(--hairline) aria-pressed:border-primary aria-pressed:bg-(--active-soft) aria-pressed:text-primary"
              aria-pressed={address === filterAddress(filter)}
              onClick={() => show(address)}
            >
              {words}
            </button>
          );
        })}
        <CaseChoice filter={filter} />
      </div>
    </search>
  );
}

function SearchField({ filter }: { filter: ChainFilter }) {
  const query = filter.q ?? '';
  const [words, setWords] = useState(query);
  const lastSearch = useRef(query);
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  useEarlyValue(input, query, setWords);
  // The URL also changes when the person goes back or clears the filters.
  useEffect(() => {
    if (query !== lastSearch.current) setWords(query);
    lastSearch.current = query;
  }, [query]);
  useEffect(() => {
    const q = words.trim();
    if (q === lastSearch.current) return;
    const timer = setTimeout(() => {
      lastSearch.current = q;
      show(filterAddress({ ...filter, q }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words, filter]);
  return (
    <div className="group relative">
      <Search size={18} aria-hidden="true" className="quiet pointer-events-none absolute top-1/2 left-3 z-1 -translate-y-1/2" />
      <input
        ref={input}
        type="search"
        className="input w-full ps-10 pe-10 [&::-webkit-search-cancel-button]:hidden"
        placeholder="Search messages"
        aria-label="Search messages"
        aria-describedby={hint}
        maxLength={SEARCH_MAX}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {words !== '' && (
        <button
          type="button"
          className="btn btn-ghost btn-square btn-xs absolute top-1/2 right-2 -translate-y-1/2"
          aria-label="Clear the search"
          title="Clear"
          onClick={() => {
            setWords('');
            input.current?.focus();
          }}
        >
          <X size={16} aria-hidden="true" />
        </button>
      )}
      {/* It covers the row below, so that nothing moves when the field gets or loses the focus. */}
      <p id={hint} className="panel quiet absolute inset-x-0 top-full z-2 mt-1 hidden p-2 text-sm group-focus-within:block">
        {SEARCH_HINT}
      </p>
    </div>
  );
}

/** Shown to people with several cases. It comes last, so that nothing moves when the cases are loaded. */
function CaseChoice({ filter }: { filter: ChainFilter }) {
  const cases = useCases().data?.data ?? [];
  if (cases.length < 2) return null;
  return (
    <select
      className="select select-sm w-auto max-w-36 flex-1"
      aria-label="Case"
      value={filter.caseId ?? ''}
      onChange={({ target }) => {
        const { caseId: _, ...others } = filter;
        show(filterAddress(target.value === '' ? others : { ...others, caseId: Number(target.value) }));
      }}
    >
      <option value="">All cases</option>
      {cases.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

export function NothingFound({ filter }: { filter: ChainFilter }) {
  return (
    <div className="empty-state" role="status">
      <SearchX aria-hidden="true" />
      <h2>{filter.q === undefined ? 'No conversations match' : `Nothing found for “${filter.q}”`}</h2>
      <p>
        {filter.unread === true && filter.q === undefined
          ? 'You’ve read everything.'
          : 'None of your conversations match. We searched subjects and messages.'}
      </p>
      <button type="button" className="btn" onClick={() => show('')}>
        Show all messages
      </button>
    </div>
  );
}

/** Keeps the search and the case when another state is chosen. */
function only({ q, caseId }: ChainFilter): ChainFilter {
  return { ...(q === undefined ? {} : { q }), ...(caseId === undefined ? {} : { caseId }) };
}

/** Next.js follows the browser's history, so this requests no page. */
function show(address: string): void {
  window.history.replaceState(null, '', location.pathname + address);
}
