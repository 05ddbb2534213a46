'use client';

import { SEARCH_MAX } from '@case-platform/words/limits';
import { useEffect, useRef, useState } from 'react';
import { useEarlyValue } from './use-early-value.ts';

/** A search begins after a pause in typing of this length. */
const PAUSE_MS = 250;

interface Props {
  label: string;
  /** The words in the address. */
  query: string;
  /** Puts the words into the address. An empty text removes them from it. */
  onSearch: (words: string) => void;
}

/** The search of a list, whose words are in its address (PAGE-3). */
export function SearchField({ label, query, onSearch }: Props) {
  const [words, setWords] = useState(query);
  const lastSearch = useRef(query);
  const search = useRef(onSearch);
  const input = useRef<HTMLInputElement>(null);
  useEarlyValue(input, query, setWords);
  useEffect(() => {
    search.current = onSearch;
  });
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
      search.current(q);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <input
      ref={input}
      type="search"
      className="input w-full sm:w-auto sm:flex-1"
      placeholder={label}
      aria-label={label}
      maxLength={SEARCH_MAX}
      value={words}
      onChange={(event) => setWords(event.target.value)}
    />
  );
}
