import { caseStateInWords } from '@case-platform/words/case-states';
import { BriefcaseMedical } from 'lucide-react';
import Link from 'next/link';
import { tooManyWords } from '../api/api-error.ts';
import type { Case, Page } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';

interface Props {
  searchParams: Promise<{ cursor?: string | string[] }>;
}

/** The cases that I am on. */
export async function CasesPage({ searchParams }: Props) {
  await requireMe();
  const { cursor } = await searchParams;
  const query = typeof cursor === 'string' ? `?cursor=${encodeURIComponent(cursor)}` : '';
  const answer = await apiServer<Page<Case>>(`/api/cases${query}`);
  return (
    <PageFrame title="Cases" lead="Who is on them, and how far they are.">
      {answer.ok ? (
        <CaseList page={answer.data} />
      ) : (
        <ErrorState
          title="We could not load your cases"
          text={tooManyWords(answer) ?? 'Nothing has changed about them. Try again.'}
        />
      )}
    </PageFrame>
  );
}

function CaseList({ page }: { page: Page<Case> }) {
  if (page.data.length === 0) {
    return (
      <div className="panel empty-state">
        <BriefcaseMedical aria-hidden="true" />
        <h2>You are not on a case yet</h2>
        <p>As soon as your agency or escrow specialist adds you to one, it appears here.</p>
      </div>
    );
  }
  return (
    <>
      <ul className="row-list panel overflow-hidden">
        {page.data.map((one) => (
          <li key={one.id}>
            <Link className="list-row" href={`/cases/${one.id}`}>
              <span className="row-who font-medium">{one.name}</span>
              <span className={`state-pill ${caseStateInWords(one.status).mark}`}>
                {caseStateInWords(one.status).words}
              </span>
              <span className="row-note">
                Last changed <Time inText at={one.updated_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {page.next_cursor !== null && (
        <p className="mt-4 text-center">
          <Link className="btn btn-sm" href={`/cases?cursor=${encodeURIComponent(page.next_cursor)}`}>
            Show more
          </Link>
        </p>
      )}
    </>
  );
}
