import { BriefcaseMedical, SearchX } from 'lucide-react';
import { rejectionWords } from '../api/api-error.ts';
import type { Case, Page } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { type CaseFilter, caseFilterAddress, caseFilterIn, casesPath } from './case-filter.ts';
import { CaseFilters } from './case-filters.tsx';
import { CaseRow } from './case-row.tsx';

interface Props {
  searchParams: Promise<Record<'cursor' | 'status' | 'q' | 'sort', string | string[] | undefined>>;
}

/** The reader's cases, searched, filtered, and sorted by the URL (PAGE-3). */
export async function CasesPage({ searchParams }: Props) {
  const [, search] = await Promise.all([requireMe(), searchParams]);
  const filter = caseFilterIn(search);
  const answer = await apiServer<Page<Case>>(casesPath(filter, typeof search.cursor === 'string' ? search.cursor : null));
  const isFiltered = caseFilterAddress(filter) !== '';
  const hasFilters = isFiltered || (answer.ok && (answer.data.data.length > 1 || answer.data.next_cursor !== null));
  return (
    <PageFrame title="Cases" lead="Your cases, and what each one is waiting for.">
      <RefreshOnChange />
      {hasFilters && <CaseFilters filter={filter} />}
      {answer.ok ? (
        <CaseList page={answer.data} filter={filter} isFiltered={isFiltered} />
      ) : (
        <ErrorState
          title="We couldn’t load your cases"
          text={rejectionWords(answer) ?? 'Nothing about them has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

function CaseList({ page, filter, isFiltered }: { page: Page<Case>; filter: CaseFilter; isFiltered: boolean }) {
  if (page.data.length === 0) return isFiltered ? <NothingFound /> : <NoCases />;
  return (
    <>
      <ul className="row-list panel overflow-hidden">
        {page.data.map((one) => (
          <li key={one.id}>
            <CaseRow one={one} overview={one.overview} />
          </li>
        ))}
      </ul>
      {page.next_cursor !== null && (
        <p className="mt-4 text-center">
          <Link className="btn btn-sm" href={`/cases${caseFilterAddress(filter, page.next_cursor)}`}>
            Show more
          </Link>
        </p>
      )}
    </>
  );
}

function NothingFound() {
  return (
    <div className="panel empty-state" role="status">
      <SearchX aria-hidden="true" />
      <h2>No cases match</h2>
      <p>Try another word or another state.</p>
      <Link className="btn" href="/cases">
        Show all cases
      </Link>
    </div>
  );
}

function NoCases() {
  return (
    <div className="panel empty-state">
      <BriefcaseMedical aria-hidden="true" />
      <h2>You’re not on a case yet</h2>
      <p>When your agency or escrow specialist adds you to one, you’ll see it here.</p>
    </div>
  );
}
