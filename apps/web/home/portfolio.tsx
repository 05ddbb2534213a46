import { caseStateInWords } from '@case-platform/words/case-states';
import { numberWords } from '@case-platform/words/counts';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { Home } from '../api/api-shapes.ts';
import { CaseRow } from '../cases/case-row.tsx';
import { Link } from '../look/link.tsx';
import { HomeSection } from './home-section.tsx';

interface Props extends Pick<Home, 'cases' | 'cases_by_status'> {
  /** True if the cases that need someone come first (HOME-4). */
  byNeed: boolean;
}

/** The reader's cases: the number in each state, as a link to that list, and some of them. */
export function Portfolio({ cases, cases_by_status, byNeed }: Props) {
  if (cases.length === 0) return null;
  const count = cases_by_status.reduce((sum, one) => sum + one.count, 0);
  return (
    <HomeSection title={titleOf(count, byNeed)} more={{ href: '/cases', words: 'All cases' }}>
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
        {count > 1 && cases.some(({ money }) => money !== null) && <Headings />}
        {cases.map((one) => (
          <li key={one.id}>
            {/* The number that leads the page already shows the money of a single case. */}
            <CaseRow one={one} overview={count === 1 ? { ...one, money: null } : one} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

function titleOf(count: number, byNeed: boolean): string {
  if (count === 1) return 'Your case';
  return byNeed ? 'Your cases, by need' : 'Your cases';
}

/** Each amount says the same to screen readers in its row. */
function Headings() {
  return (
    <li className="quiet flex items-center justify-between gap-3 px-4 py-2 text-small max-sm:hidden" aria-hidden="true">
      <span>Case</span>
      <span className="flex items-center gap-3">
        <span>Available</span>
        <span className="min-w-34 text-end">State</span>
      </span>
    </li>
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
