import { HandCoins, SearchX } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { tooManyWords } from '../../../../api/api-error.ts';
import type { Case, Disbursement, Page } from '../../../../api/api-shapes.ts';
import {
  type RequestFilter,
  requestFilterAddress,
  requestFilterIn,
  requestsPath,
} from '../../../../disbursements/disbursement-filter.ts';
import { RequestFilters } from '../../../../disbursements/disbursement-filters.tsx';
import { RequestList } from '../../../../disbursements/disbursement-list.tsx';
import { isMaker, waitsForMe } from '../../../../disbursements/disbursement-words.ts';
import { ErrorState } from '../../../../look/error-state.tsx';
import { FreshOnReturn } from '../../../../look/fresh-on-return.tsx';
import { PageFrame } from '../../../../look/page-frame.tsx';
import { apiServer } from '../../../../session/api-server.ts';
import { requireMe } from '../../../../session/session.ts';
import type { Me } from '../../../../session/session-shapes.ts';

export const metadata: Metadata = { title: 'Requests' };

interface Props {
  searchParams: Promise<Record<'cursor' | 'status' | 'case', string | string[] | undefined>>;
}

/** The requests that I see: first those that wait for me, then mine, then the others of my cases. */
export default async function RequestsPage({ searchParams }: Props) {
  const [me, search] = await Promise.all([requireMe(), searchParams]);
  const at = typeof search.cursor === 'string' ? search.cursor : null;
  const filter = requestFilterIn(search);
  const isWhole = at === null && requestFilterAddress(filter) === '';
  const [waiting, page, cases] = await Promise.all([
    isWhole ? apiServer<Page<Disbursement>>('/api/disbursements?waiting_for_me=true&limit=100') : null,
    apiServer<Page<Disbursement>>(requestsPath(filter, at)),
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
      <RequestFilters filter={filter} cases={mine} />
      {page.ok && (waiting === null || waiting.ok) ? (
        <Requests me={me} cases={mine} waiting={waiting?.data.data ?? null} page={page.data} filter={filter} />
      ) : (
        <ErrorState
          title="We could not load the requests"
          text={tooManyWords(page.ok ? waiting : page) ?? 'Nothing has changed about them. Try again.'}
        />
      )}
    </PageFrame>
  );
}

interface RequestsProps {
  me: Me;
  cases: Case[];
  /** What waits for the reader, where the list begins with it. */
  waiting: Disbursement[] | null;
  page: Page<Disbursement>;
  filter: RequestFilter;
}

function Requests({ me, cases, waiting, page, filter }: RequestsProps) {
  const others = page.data.filter((request) => waiting === null || !waitsForMe(request, me));
  const isMine = (request: Disbursement) => isMaker(request, me) || request.payee.user_id === me.id;
  if ((waiting ?? []).length === 0 && others.length === 0) {
    return requestFilterAddress(filter) === '' ? <NoRequests /> : <NothingFits />;
  }
  return (
    <>
      <RequestList title="Waiting for you" requests={waiting ?? []} me={me} cases={cases} />
      <RequestList title="Your requests" requests={others.filter(isMine)} me={me} cases={cases} />
      <RequestList
        title={cases.length > 1 ? 'Others on your cases' : 'Others on your case'}
        requests={others.filter((request) => !isMine(request))}
        me={me}
        cases={cases}
      />
      {page.next_cursor !== null && (
        <p className="mt-4 text-center">
          <Link className="btn btn-sm" href={`/disbursements${requestFilterAddress(filter, page.next_cursor)}`}>
            Show older ones
          </Link>
        </p>
      )}
    </>
  );
}

function NoRequests() {
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
