import { HandCoins } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { ErrorState } from '../../../../components/error-state.tsx';
import { FreshOnReturn } from '../../../../components/fresh-on-return.tsx';
import { PageFrame } from '../../../../components/page-frame.tsx';
import { RequestList } from '../../../../components/request-list.tsx';
import { apiServer } from '../../../../lib/api-server.ts';
import type { Case, Disbursement, Page } from '../../../../lib/api-shapes.ts';
import { isMaker, waitsForMe } from '../../../../lib/request-words.ts';
import { requireMe } from '../../../../lib/session.ts';
import type { Me } from '../../../../lib/session-shapes.ts';

export const metadata: Metadata = { title: 'Requests' };

interface Props {
  searchParams: Promise<{ cursor?: string | string[] }>;
}

/** The requests that I see: first those that wait for me, then mine, then the others of my cases. */
export default async function RequestsPage({ searchParams }: Props) {
  const [me, { cursor }] = await Promise.all([requireMe(), searchParams]);
  const at = typeof cursor === 'string' ? cursor : null;
  const [waiting, page, cases] = await Promise.all([
    at === null ? apiServer<Page<Disbursement>>('/api/disbursements?waiting_for_me=true&limit=100') : null,
    apiServer<Page<Disbursement>>(`/api/disbursements${at === null ? '' : `?cursor=${encodeURIComponent(at)}`}`),
    apiServer<Page<Case>>('/api/cases?limit=100'),
  ]);
  const mine = cases.ok ? cases.data.data : [];
  return (
    <PageFrame
      title="Requests"
      lead="Who asks for money, and how far it is."
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
      {page.ok && (waiting === null || waiting.ok) ? (
        <Requests me={me} cases={mine} waiting={waiting?.data.data ?? []} page={page.data} isFirst={at === null} />
      ) : (
        <ErrorState title="We could not load the requests" text="Nothing has changed about them. Try again." />
      )}
    </PageFrame>
  );
}

interface RequestsProps {
  me: Me;
  cases: Case[];
  waiting: Disbursement[];
  page: Page<Disbursement>;
  isFirst: boolean;
}

function Requests({ me, cases, waiting, page, isFirst }: RequestsProps) {
  const others = page.data.filter((request) => !(waitsForMe(request, me) && isFirst));
  const isMine = (request: Disbursement) => isMaker(request, me) || request.payee.user_id === me.id;
  if (waiting.length === 0 && others.length === 0) {
    return (
      <div className="panel empty-state">
        <HandCoins aria-hidden="true" />
        <h2>No requests yet</h2>
        <p>
          A request asks that money of a case be paid out: for travel, medical costs, an allowance. You see here whom it
          waits for and when the money arrives.
        </p>
      </div>
    );
  }
  return (
    <>
      <RequestList title="Waiting for you" requests={waiting} me={me} cases={cases} />
      <RequestList title="Your requests" requests={others.filter(isMine)} me={me} cases={cases} />
      <RequestList
        title={cases.length > 1 ? 'Others on your cases' : 'Others on your case'}
        requests={others.filter((request) => !isMine(request))}
        me={me}
        cases={cases}
      />
      {page.next_cursor !== null && (
        <p className="mt-4 text-center">
          <Link className="btn btn-sm" href={`/disbursements?cursor=${encodeURIComponent(page.next_cursor)}`}>
            Show older ones
          </Link>
        </p>
      )}
    </>
  );
}
