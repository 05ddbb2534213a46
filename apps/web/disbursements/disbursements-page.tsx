import { HandCoins, SearchX } from 'lucide-react';
import { rejectionWords } from '../api/api-error.ts';
import type { Case, Page, SeenDisbursement } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import { AccountChangeCards } from './account-change-card/account-change-cards.tsx';
import {
  type DisbursementFilter,
  disbursementFilterAddress,
  disbursementFilterIn,
  disbursementsPath,
} from './disbursement-filter.ts';
import { DisbursementFilters } from './disbursement-filters.tsx';
import { DisbursementList } from './disbursement-list.tsx';
import { isMaker, isWaitingForMe } from './disbursement-words.ts';

interface Props {
  searchParams: Promise<Record<'cursor' | 'status' | 'case' | 'q', string | string[] | undefined>>;
}

/** The disbursements that the reader may see: those waiting for them, their own, and others on their cases. */
export async function DisbursementsPage({ searchParams }: Props) {
  const [me, search] = await Promise.all([requireMe(), searchParams]);
  const at = typeof search.cursor === 'string' ? search.cursor : null;
  const filter = disbursementFilterIn(search);
  const isWhole = at === null && disbursementFilterAddress(filter) === '';
  const [waiting, page, cases] = await Promise.all([
    isWhole ? apiServer<Page<SeenDisbursement>>('/api/disbursements?waiting_for_me=true&limit=100') : null,
    apiServer<Page<SeenDisbursement>>(disbursementsPath(filter, at)),
    apiServer<Page<Case>>('/api/cases?limit=100'),
  ]);
  const mine = cases.ok ? cases.data.data : [];
  return (
    <PageFrame
      title="Requests"
      lead={
        <>
          What was asked for, and where each request is now.{' '}
          {me.userType !== 'admin' && (
            <Link className="link" href="/payments">
              Paid to you
            </Link>
          )}
        </>
      }
      action={
        mine.length > 0 && (
          <Link className="btn btn-primary" href="/disbursements/new">
            <HandCoins size={18} aria-hidden="true" />
            Request money
          </Link>
        )
      }
    >
      <RefreshOnReturn />
      <RefreshOnChange />
      <AccountChangeCards waiting={waiting?.ok ? waiting.data.data : []} />
      <DisbursementFilters filter={filter} cases={mine} />
      {page.ok && (waiting === null || waiting.ok) ? (
        <Disbursements me={me} cases={mine} waiting={waiting?.data.data ?? null} page={page.data} filter={filter} />
      ) : (
        <ErrorState
          title="We couldn’t load the requests"
          text={rejectionWords(page, waiting) ?? 'Nothing about them has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

interface DisbursementsProps {
  me: Me;
  cases: Case[];
  /** Null if the list is filtered or not at its first page. */
  waiting: SeenDisbursement[] | null;
  page: Page<SeenDisbursement>;
  filter: DisbursementFilter;
}

function Disbursements({ me, cases, waiting, page, filter }: DisbursementsProps) {
  const others = page.data.filter((disbursement) => waiting === null || !isWaitingForMe(disbursement, me));
  const isMine = (disbursement: SeenDisbursement) => isMaker(disbursement, me) || disbursement.payee?.user_id === me.id;
  if ((waiting ?? []).length === 0 && others.length === 0) {
    return disbursementFilterAddress(filter) === '' ? <NoDisbursements /> : <NoMatches />;
  }
  return (
    <>
      <DisbursementList title="Waiting for you" disbursements={waiting ?? []} me={me} cases={cases} />
      <DisbursementList title="Your requests" disbursements={others.filter(isMine)} me={me} cases={cases} />
      <DisbursementList
        title={cases.length > 1 ? 'Other requests on your cases' : 'Other requests on your case'}
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
        Ask for money from your case for travel, medical costs or an allowance. You’ll see here who has your request and when the
        money arrives.
      </p>
    </div>
  );
}

function NoMatches() {
  return (
    <div className="panel empty-state mt-4">
      <SearchX aria-hidden="true" />
      <h2>No requests match</h2>
      <p>Try other words, another state, or another case.</p>
      <Link className="btn" href="/disbursements">
        Show all requests
      </Link>
    </div>
  );
}
