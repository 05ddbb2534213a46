import { isForChangedAccount } from '@case-platform/words/payee-account';
import { HandCoins, SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { rejectionWords } from '../api/api-error.ts';
import type { Home } from '../api/api-shapes.ts';
import { AccountChangeCards } from '../disbursements/account-change-card/account-change-cards.tsx';
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
import { listToSendAgain, listUnsent, waitingWords } from './home-words.ts';
import { OnItsWay } from './on-its-way.tsx';
import { NextPayment, RecentPayments } from './payments.tsx';
import { Portfolio } from './portfolio.tsx';
import { RefreshWithUnread } from './refresh-with-unread.tsx';
import { RequestList } from './request-list.tsx';
import { AccountNeeded, isToMe, ReturnedList, SendAgainList } from './sent-back.tsx';

const REQUESTS_TITLE: Partial<Record<Me['userType'], string>> = {
  surrogate: 'Where your requests are',
  admin: 'Where your requests are',
  owner: 'Open requests, oldest first',
  cm: 'Open requests, oldest first',
};

/** People who look after many cases see this many of the oldest requests; a link leads to all of them. */
const OLDEST_SHOWN = 5;

/** The home page of every role: one number, and then everything that waits for the reader (HOME-2). */
export async function HomePage() {
  const [me, home] = await Promise.all([requireMe(), apiServer<Home>('/api/home')]);
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <RefreshOnReturn />
      <RefreshOnChange />
      {home.ok && <RefreshWithUnread rendered={home.data.unread_count} />}
      <div className="page is-home">
        <header className="page-header">
          <Greeting name={me.name} />
          <Actions me={me} />
          {home.ok && <p className="page-lead">{waitingWords(home.data, me)}</p>}
        </header>
        {home.ok ? (
          <Parts home={home.data} me={me} />
        ) : (
          <ErrorState
            title="We couldn’t load your home page"
            text={rejectionWords(home) ?? 'Your messages and requests are safe, and so are your drafts. Try again.'}
          />
        )}
      </div>
    </main>
  );
}

/** The main button is for the most frequent task of the role. */
function Actions({ me }: { me: Me }) {
  const asksForMoney = me.userType === 'surrogate';
  return (
    <div className="page-action flex max-w-full flex-wrap gap-2">
      {asksForMoney && (
        <Link className="btn btn-primary" href="/disbursements/new">
          <HandCoins size={18} aria-hidden="true" />
          Request money
        </Link>
      )}
      <Link className={`btn ${asksForMoney ? '' : 'btn-primary'}`} href="/messages/new">
        <SquarePen size={18} aria-hidden="true" />
        Write a message
      </Link>
    </div>
  );
}

function Parts({ home, me }: { home: Home; me: Me }): ReactNode {
  const { decisions, returned, payments, unread, recent, incoming, balance } = home;
  const nameCases = home.cases_by_status.reduce((sum, { count }) => sum + count, 0) > 1;
  const rowProps = { me, nameCases };
  const looksAfterCases = me.userType === 'owner' || me.userType === 'cm';
  const portfolio = <Portfolio cases={home.cases} cases_by_status={home.cases_by_status} byNeed={looksAfterCases} />;
  const requests = (
    <RequestList
      title={REQUESTS_TITLE[me.userType] ?? 'Requests on their way'}
      requests={looksAfterCases ? home.requests.slice(0, OLDEST_SHOWN) : home.requests}
      {...rowProps}
    />
  );
  const isPaid = me.userType === 'surrogate';
  const shortfall = home.cases.find(({ id }) => id === balance?.case_id)?.shortfall ?? null;
  return (
    <div className="home-columns">
      {isPaid && incoming !== null && <OnItsWay incoming={incoming} />}
      {balance !== null && <HomeBalance balance={balance} shortfall={shortfall} nameCase={nameCases} />}
      <div className="home-waits">
        <AccountChangeCards waiting={decisions} />
        <AccountNeeded incoming={incoming} returned={returned} me={me} />
        <ReturnedList returned={returned.filter((one) => isToMe(one, me))} me={me} />
        <SendAgainList requests={listToSendAgain(home)} />
        <Decisions decisions={decisions.filter((one) => !isForChangedAccount(one))} {...rowProps} />
        <UnreadConversations unread={unread} me={me} />
        <RequestList title="Your drafts" requests={listUnsent(home)} {...rowProps} />
        <ReturnedList returned={returned.filter((one) => !isToMe(one, me))} me={me} />
        {nameCases && portfolio}
        {isPaid && requests}
      </div>
      <div className="home-rest">
        {!isPaid && requests}
        <NextPayment next={home.next_scheduled} payments={payments} me={me} />
        {!looksAfterCases && <RecentPayments payments={payments} me={me} />}
        {!nameCases && portfolio}
      </div>
      <div className="home-later">
        <RecentConversations unread={unread} recent={recent} me={me} />
        {looksAfterCases && <RecentPayments payments={payments} me={me} />}
      </div>
    </div>
  );
}
