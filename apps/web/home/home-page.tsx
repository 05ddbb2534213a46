import { SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { tooManyWords } from '../api/api-error.ts';
import type { Home } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import { RecentConversations, UnreadConversations } from './conversations.tsx';
import { Decisions } from './decisions.tsx';
import { Greeting } from './greeting.tsx';
import { HomeBalance } from './home-balance.tsx';
import { waitingWords } from './home-words.ts';
import { NextPayment, RecentPayments } from './payments.tsx';
import { Portfolio } from './portfolio.tsx';
import { RefreshWithUnread } from './refresh-with-unread.tsx';
import { RequestList, ReturnedList } from './request-list.tsx';

const REQUESTS_TITLE: Partial<Record<Me['userType'], string>> = {
  surrogate: 'Where your requests are',
  admin: 'Where your requests are',
  owner: 'Open requests, oldest first',
  cm: 'Open requests, oldest first',
};

/** People who look after many cases see this many of the oldest requests; a link leads to all of them. */
const OLDEST_SHOWN = 5;

/** The home page of every role, which starts with what waits for the reader (HOME-2). */
export async function HomePage() {
  const [me, home] = await Promise.all([requireMe(), apiServer<Home>('/api/home')]);
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <RefreshOnReturn />
      <RefreshOnChange />
      {home.ok && <RefreshWithUnread rendered={home.data.unread_count} />}
      <div className="page">
        <header className="page-header">
          <Greeting name={me.name} />
          <div className="page-action">
            <Link className="btn btn-primary" href="/messages/new">
              <SquarePen size={18} aria-hidden="true" />
              Write a message
            </Link>
          </div>
          {home.ok && <p className="page-lead">{waitingWords(home.data, me)}</p>}
        </header>
        {home.ok ? (
          <Parts home={home.data} me={me} />
        ) : (
          <ErrorState
            title="We couldn’t load your home page"
            text={tooManyWords(home) ?? 'Your messages and requests are safe, and so are your drafts. Try again.'}
          />
        )}
      </div>
    </main>
  );
}

function Parts({ home, me }: { home: Home; me: Me }): ReactNode {
  const { decisions, returned, requests, drafts, payments, unread, recent } = home;
  const nameCases = home.cases_by_status.reduce((sum, { count }) => sum + count, 0) > 1;
  const rowProps = { me, nameCases };
  const looksAfterCases = me.userType === 'owner' || me.userType === 'cm';
  const portfolio = <Portfolio cases={home.cases} cases_by_status={home.cases_by_status} />;
  return (
    <>
      <Decisions decisions={decisions} {...rowProps} />
      <ReturnedList returned={returned} me={me} />
      <UnreadConversations unread={unread} me={me} />
      <HomeBalance balance={home.balance} shortfall={home.shortfall} />
      {looksAfterCases && portfolio}
      <RequestList
        title={REQUESTS_TITLE[me.userType] ?? 'Requests on their way'}
        requests={looksAfterCases ? requests.slice(0, OLDEST_SHOWN) : requests}
        {...rowProps}
      />
      <RequestList title="Your drafts" requests={drafts} {...rowProps} />
      <NextPayment next={home.next_scheduled} payments={payments} me={me} />
      <RecentPayments payments={payments} me={me} />
      <RecentConversations unread={unread} recent={recent} me={me} />
      {!looksAfterCases && portfolio}
    </>
  );
}
