import { caseStateInWords } from '@case-platform/words/case-states';
import { numberWords } from '@case-platform/words/counts';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { Home } from '../api/api-shapes.ts';
import { CaseRow } from '../cases/case-row.tsx';
import { Link } from '../look/link.tsx';
import { HomeSection } from './home-section.tsx';

type Props = Pick<Home, 'cases' | 'cases_by_status'>;

/** The reader's cases: the number in each state, as a link to that list, and the ones that changed last. */
export function Portfolio({ cases, cases_by_status }: Props) {
  if (cases.length === 0) return null;
  const count = cases_by_status.reduce((sum, one) => sum + one.count, 0);
  return (
    <HomeSection title={count === 1 ? 'Your case' : 'Your cases'} more={{ href: '/cases', words: 'All cases' }}>
      {count > cases.length && <SearchCases />}
      {count > cases.length && (
        <ul className="mb-4 flex flex-wrap gap-2">
          {cases_by_status.map((one) => (
            <li key={one.status}>
              <Link className="btn btn-sm" href={`/cases?status=${one.status}`}>
                {caseStateInWords(one.status).words} <span className="money">{numberWords(one.count)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <ul className="row-list panel overflow-hidden">
        {cases.map((one) => (
          <li key={one.id}>
            <CaseRow one={one} overview={one} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

/** A plain GET form that opens the list of cases with the search in its URL, so that it works before scripts run (PAGE-4). */
function SearchCases() {
  return (
    <search className="mb-3 block">
      <form action="/cases" className="flex gap-2">
        <input
          type="search"
          name="q"
          className="input"
          placeholder="Search cases"
          aria-label="Search cases"
          maxLength={SEARCH_MAX}
          required
        />
        <button type="submit" className="btn">
          Search
        </button>
      </form>
    </search>
  );
}
