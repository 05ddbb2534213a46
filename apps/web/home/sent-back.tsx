import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import { moneyWords } from '@case-platform/words/money';
import type { ReactNode } from 'react';
import type { Home } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

/** Asks for the bank account without which money that is on its way cannot arrive (HOME-3). */
export function AccountNeeded({ incoming, returned, me }: Pick<Home, 'incoming' | 'returned'> & { me: Me }) {
  const account = incoming?.account ?? null;
  // A returned payment asks for another account itself.
  if (account === null || returned.some((one) => isFixedByAccount(one, me))) return null;
  const title = account === 'add' ? 'We don’t know where to pay you yet' : 'The bank can’t pay into your account';
  return (
    <Notice kind="waiting" title={title}>
      <p>The money that’s on its way to you is sent once you {account === 'add' ? 'add your' : 'enter another'} bank account.</p>
      <Link className="btn btn-primary btn-sm mt-2" href="/profile#bank-account">
        {account === 'add' ? 'Add your bank account' : 'Enter another bank account'}
      </Link>
    </Notice>
  );
}

/** Payments that the bank sent back, each with the reason and who does what (RETURN-7). */
export function ReturnedList({ returned, me }: { returned: Home['returned']; me: Me }) {
  if (returned.length === 0) return null;
  return (
    <HomeSection title="Sent back by the bank">
      <ul className="grid gap-4">
        {returned.map((request) => (
          <li key={request.id}>
            <SentBack
              request={request}
              tone={isToMe(request, me) ? 'notice is-error' : 'notice bg-base-100! panel'}
              why={request.return && `${request.return.reason} ${request.return.what_to_do}`}
            >
              {isFixedByAccount(request, me) && (
                <Link className="btn btn-primary btn-sm" href="/profile#bank-account">
                  Enter another bank account
                </Link>
              )}
              <Link className="btn btn-sm" href={`/disbursements/${request.id}`}>
                See the request
              </Link>
            </SentBack>
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

/** Requests of the reader whose approval was removed, or that were sent back to them (WHERE-1). */
export function SendAgainList({ requests }: { requests: Home['drafts'] }) {
  if (requests.length === 0) return null;
  return (
    <HomeSection title="To send again" more={{ href: '/disbursements', words: 'All requests' }}>
      <ul className="grid gap-4">
        {requests.map((request) => (
          <li key={request.id}>
            <SentBack request={request} tone="notice is-waiting" why={request.whereabouts.why}>
              <Link className="btn btn-primary btn-sm" href={`/disbursements/${request.id}`}>
                Check it and send it again
              </Link>
            </SentBack>
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

interface SentBackProps {
  request: Home['returned'][number];
  tone: string;
  why: string | null;
  children: ReactNode;
}

function SentBack({ request: { description, amount_cents }, tone, why, children }: SentBackProps) {
  return (
    <div className={tone}>
      <div className="min-w-0 flex-1">
        <p className="flex items-start justify-between gap-4 font-medium">
          <span className="wrap-anywhere">{description}</span>
          <span className="money flex-none">{moneyWords(amount_cents)}</span>
        </p>
        {why !== null && <p className="text-small">{why}</p>}
        <p className="mt-2 flex flex-wrap gap-2">{children}</p>
      </div>
    </div>
  );
}

export function isToMe({ payee }: Pick<Home['returned'][number], 'payee'>, me: Me): boolean {
  return payee.user_id === me.id;
}

function isFixedByAccount({ payee, return: back }: Home['returned'][number], me: Me): boolean {
  return isToMe({ payee }, me) && back?.who_acts === 'payee' && needsOtherAccount(back.code);
}
