'use client';

import { DISBURSEMENT_STATES, disbursementStateInWords } from '@case-platform/words/disbursement-states';
import { usePathname, useRouter } from 'next/navigation';
import { useTransition } from 'react';
import type { Case } from '../api/api-shapes.ts';
import { SearchField } from '../look/search-field.tsx';
import { type DisbursementFilter, disbursementFilterAddress } from './disbursement-filter.ts';

interface Props {
  filter: DisbursementFilter;
  /** The cases to choose from; hidden if there is only one. */
  cases: readonly Pick<Case, 'id' | 'name'>[];
}

/** The filters of the disbursement list. They only change the URL; the list follows it. */
export function DisbursementFilters({ filter, cases }: Props) {
  const router = useRouter();
  const path = usePathname();
  const [loading, startTransition] = useTransition();
  const show = (next: DisbursementFilter) =>
    startTransition(() => router.replace(path + disbursementFilterAddress(next), { scroll: false }));
  const { status, caseId, q } = filter;
  return (
    <search className="flex flex-wrap gap-2" aria-busy={loading}>
      <SearchField
        label="Search requests"
        query={q ?? ''}
        onSearch={(words) => {
          const { q: _, ...others } = filter;
          show(words === '' ? others : { ...others, q: words });
        }}
      />
      <select
        className="select w-auto! min-w-44 flex-1 sm:flex-none"
        aria-label="State"
        value={status ?? ''}
        onChange={({ target }) => {
          const chosen = DISBURSEMENT_STATES.find((one) => one === target.value);
          const { status: _, ...others } = filter;
          show({ ...others, ...(chosen && { status: chosen }) });
        }}
      >
        <option value="">All requests</option>
        {DISBURSEMENT_STATES.map((one) => (
          <option key={one} value={one}>
            {disbursementStateInWords(one).words}
          </option>
        ))}
      </select>
      {cases.length > 1 && (
        <select
          className="select w-auto! min-w-44 flex-1 sm:flex-none"
          aria-label="Case"
          value={caseId ?? ''}
          onChange={({ target }) => {
            const chosen = Number(target.value);
            const { caseId: _, ...others } = filter;
            show({ ...others, ...(chosen > 0 && { caseId: chosen }) });
          }}
        >
          <option value="">All cases</option>
          {cases.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      )}
    </search>
  );
}
