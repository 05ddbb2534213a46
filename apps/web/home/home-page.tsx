import { caseStateInWords } from '@case-platform/words/case-states';
import { sentence } from '@case-platform/words/sentence';
import { SquarePen } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { tooManyWords } from '../api/api-error.ts';
import type { Case, Chain, Disbursement, Page } from '../api/api-shapes.ts';
import { DisbursementList } from '../disbursements/disbursement-list.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { chainsPath } from '../messages/chain-paths.ts';
import { ChainRow } from '../messages/chain-row.tsx';
import { findUnread } from '../messages/find-chains.ts';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import { FreshWithUnread } from './fresh-with-unread.tsx';
import { Greeting } from './greeting.tsx';
import { findNextPayment, NextPayment } from './next-payment.tsx';

const SHOWN = 5;

/** What needs my attention, recent conversations and my cases. */
export async function HomePage() {
  const myCases = apiServer<Page<Case>>('/api/cases?limit=5');
  const [me, unread, waiting, recent, disbursements, cases, next] = await Promise.all([
    requireMe(),
    findUnread(),
    apiServer<Page<Chain>>(chainsPath({ unread: true, limit: SHOWN })),
    apiServer<Page<Chain>>(chainsPath({ limit: SHOWN })),
    apiServer<Page<Disbursement>>(`/api/disbursements?waiting_for_me=true&limit=${SHOWN}`),
    myCases,
    myCases.then((found) => (found.ok ? findNextPayment(found.data.data) : null)),
  ]);
  const chains = unread.ok ? unread.data.unread_chains : 0;
  const toDecide = disbursements.ok ? disbursements.data.data : [];
  const hasMore = disbursements.ok && disbursements.data.next_cursor !== null;
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      {unread.ok && <FreshWithUnread rendered={unread.data.unread_count} />}
      <div className="page">
        <header className="page-header">
          <Greeting name={me.name} />
          <div className="page-action">
            <Link className="btn btn-primary" href="/messages/new">
              <SquarePen size={18} aria-hidden="true" />
              Write a message
            </Link>
          </div>
          {unread.ok && recent.ok && recent.data.data.length > 0 && (
            <p className="page-lead">{waitingWords(chains, toDecide.length, hasMore)}</p>
          )}
        </header>
        <DisbursementList
          title="Waiting for your approval"
          disbursements={toDecide}
          me={me}
          cases={cases.ok ? cases.data.data : []}
        />
        {waiting.ok && recent.ok ? (
          <Conversations me={me} waiting={waiting.data.data} recent={recent.data.data}>
            {next !== null && cases.ok && <NextPayment next={next} cases={cases.data.data} />}
          </Conversations>
        ) : (
          <ErrorState
            title="We could not load your messages"
            text={tooManyWords(waiting.ok ? recent : waiting) ?? 'They are safe, and so are your drafts. Try again.'}
          />
        )}
        {cases.ok && cases.data.data.length > 0 && <Cases cases={cases.data.data} />}
      </div>
    </main>
  );
}

/** What needs attention, in one sentence; only as many disbursements are counted as are shown. */
function waitingWords(chains: number, disbursements: number, more: boolean): string {
  const parts = [
    disbursements > 0 &&
      `${more ? 'more than ' : ''}${disbursements} ${disbursements === 1 && !more ? 'request' : 'requests'}`,
    chains > 0 && `${chains} ${chains === 1 ? 'conversation' : 'conversations'}`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return 'You have read everything. Nothing waits for you.';
  const verb = disbursements + chains === 1 ? 'waits' : 'wait';
  return sentence(`${parts.join(' and ')} ${verb} for you.`);
}

interface ConversationsProps {
  me: Me;
  waiting: Chain[];
  recent: Chain[];
  /** Shown between unread and earlier conversations. */
  children: ReactNode;
}

function Conversations({ me, waiting, recent, children }: ConversationsProps) {
  const others = recent.filter((chain) => waiting.every((one) => one.id !== chain.id));
  if (waiting.length === 0 && others.length === 0) {
    return (
      <>
        {children}
        <div className="panel empty-state">
          <h2>No messages yet</h2>
          <p>Your escrow specialist is the person to ask about your case, its payments and what comes next.</p>
        </div>
      </>
    );
  }
  return (
    <>
      {waiting.length > 0 && <ChainSection title="Waiting for you" chains={waiting} me={me} />}
      {children}
      {others.length > 0 && <ChainSection title="Recent conversations" chains={others} me={me} all />}
    </>
  );
}

function ChainSection({ title, chains, me, all = false }: { title: string; chains: Chain[]; me: Me; all?: boolean }) {
  return (
    <section>
      <h2 className="section-title">
        {title}
        {all && (
          <Link className="link" href="/messages">
            All messages
          </Link>
        )}
      </h2>
      <ul className="row-list panel overflow-hidden">
        {chains.map((chain) => (
          <li key={chain.id}>
            <ChainRow chain={chain} me={me} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Cases({ cases }: { cases: Case[] }) {
  return (
    <section>
      <h2 className="section-title">
        {cases.length === 1 ? 'Your case' : 'Your cases'}
        <Link className="link" href="/cases">
          All cases
        </Link>
      </h2>
      <ul className="row-list panel overflow-hidden">
        {cases.map((one) => (
          <li key={one.id}>
            <Link className="list-row" href={`/cases/${one.id}`}>
              <span className="row-who">{one.name}</span>
              <span className={`state-pill ${caseStateInWords(one.status).mark}`}>
                {caseStateInWords(one.status).words}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
