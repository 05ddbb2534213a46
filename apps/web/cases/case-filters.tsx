'use client';

import { CASE_STATES, caseStateInWords } from '@case-platform/words/case-states';
import { usePathname, useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { SearchField } from '../look/search-field.tsx';
import { CASE_ORDERS, type CaseFilter, caseFilterAddress } from './case-filter.ts';

/** The filters of the case list. They only change the URL; the list follows it (PAGE-3). */
export function CaseFilters({ filter }: { filter: CaseFilter }) {
  const router = useRouter();
  const path = usePathname();
  const [loading, startTransition] = useTransition();
  const { status, sort, q } = filter;
  const show = (next: CaseFilter) => startTransition(() => router.replace(path + caseFilterAddress(next), { scroll: false }));
  return (
    <search className="mb-4 flex flex-wrap gap-2" aria-busy={loading}>
      <SearchField
        label="Search cases"
        query={q ?? ''}
        onSearch={(words) => {
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
