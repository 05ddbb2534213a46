import { HandCoins, SearchX } from 'lucide-react';
import Link from 'next/link';
import { tooManyWords } from '../api/api-error.ts';
import type { Case, Disbursement, Page } from '../api/api-shapes.ts';
import { ErrorState } from '../look/error-state.tsx';
import { FreshOnReturn } from '../look/fresh-on-return.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import {
  type DisbursementFilter,
  disbursementFilterAddress,
  disbursementFilterIn,
  disbursementsPath,
} from './disbursement-filter.ts';
import { DisbursementFilters } from './disbursement-filters.tsx';
import { DisbursementList } from './disbursement-list.tsx';
import { isMaker, waitsForMe } from './disbursement-words.ts';

interface Props {
  searchParams: Promise<Record<'cursor' | 'status' | 'case', string | string[] | undefined>>;
}

/** The disbursements I may see: those waiting for me, then my own, then others on my cases. */
export async function DisbursementsPage({ searchParams }: Props) {
  const [me, search] = await Promise.all([requireMe(), searchParams]);
  const at = typeof search.cursor === 'string' ? search.cursor : null;
  const filter = disbursementFilterIn(search);
  const isWhole = at === null && disbursementFilterAddress(filter) === '';
  const [waiting, page, cases] = await Promise.all([
    isWhole ? apiServer<Page<Disbursement>>('/api/disbursements?waiting_for_me=true&limit=100') : null,
    apiServer<Page<Disbursement>>(disbursementsPath(filter, at)),
    apiServer<Page<Case>>('/api/cases?limit=100'),
  ]);
  const mine = cases.ok ? cases.data.data : [];
  return (
    <PageFrame
      title="Requests"
      lead="Money people asked for, and where each request is."
      action={
        mine.length > 0 && (
          <Link className="btn btn-primary" href="/disbursements/new">
            <HandCoins size={18} aria-hidden="true" />
            Request money
          </Link>
        )
      }
    >
      <FreshOnReturn />
      <DisbursementFilters filter={filter} cases={mine} />
      {page.ok && (waiting === null || waiting.ok) ? (
        <Disbursements me={me} cases={mine} waiting={waiting?.data.data ?? null} page={page.data} filter={filter} />
      ) : (
        <ErrorState
          title="We could not load the requests"
          text={tooManyWords(page.ok ? waiting : page) ?? 'Nothing has changed about them. Try again.'}
        />
      )}
    </PageFrame>
  );
}

interface DisbursementsProps {
  me: Me;
  cases: Case[];
  /** Disbursements waiting for the reader, if the list starts with them. */
  waiting: Disbursement[] | null;
  page: Page<Disbursement>;
  filter: DisbursementFilter;
}

function Disbursements({ me, cases, waiting, page, filter }: DisbursementsProps) {
  const others = page.data.filter((disbursement) => waiting === null || !waitsForMe(disbursement, me));
  const isMine = (disbursement: Disbursement) => isMaker(disbursement, me) || disbursement.payee.user_id === me.id;
  if ((waiting ?? []).length === 0 && others.length === 0) {
    return disbursementFilterAddress(filter) === '' ? <NoDisbursements /> : <NothingFits />;
  }
  return (
    <>
      <DisbursementList title="Waiting for you" disbursements={waiting ?? []} me={me} cases={cases} />
      <DisbursementList title="Your requests" disbursements={others.filter(isMine)} me={me} cases={cases} />
      <DisbursementList
        title={cases.length > 1 ? 'Others on your cases' : 'Others on your case'}
        disbursements={others.filter((disbursement) => !isMine(disbursement))}
        me={me}
        cases={cases}
      />
      {page.next_cursor !== null && (
        <p className="mt-4 text-center">
          <Link className="btn btn-sm" href={`/disbursements${disbursementFilterAddress(filter, page.next_cursor)}`}>
            Show older ones
          </Link>
        </p>
      )}
    </>
  );
}

function NoDisbursements() {
  return (
    <div className="panel empty-state mt-4">
      <HandCoins aria-hidden="true" />
      <h2>No requests yet</h2>
      <p>
        A request asks that money of a case be paid out: for travel, medical costs, an allowance. You see here whom it
        waits for and when the money arrives.
      </p>
    </div>
  );
}

function NothingFits() {
  return (
    <div className="panel empty-state mt-4">
      <SearchX aria-hidden="true" />
      <h2>No such request</h2>
      <p>Nothing that you may see fits what you have chosen.</p>
      <Link className="btn" href="/disbursements">
        Show all requests
      </Link>
    </div>
  );
}
