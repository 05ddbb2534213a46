import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import { moneyWords } from '@case-platform/words/money';
import type { Home } from '../api/api-shapes.ts';
import { DisbursementRow } from '../disbursements/disbursement-row.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

interface Props {
  title: string;
  requests: Home['requests'];
  me: Me;
  nameCases: boolean;
}

export function RequestList({ title, requests, me, nameCases }: Props) {
  if (requests.length === 0) return null;
  return (
    <HomeSection title={title} more={{ href: '/disbursements', words: 'All requests' }}>
      <ul className="row-list panel overflow-hidden">
        {requests.map((request) => (
          <li key={request.id}>
            <DisbursementRow disbursement={request} me={me} caseName={nameCases ? request.case_name : undefined} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

/** Payments that the bank sent back, each with the reason and what to do (RETURN-7). */
export function ReturnedList({ returned, me }: { returned: Home['returned']; me: Me }) {
  if (returned.length === 0) return null;
  return (
    <HomeSection title="Sent back by the bank">
      <ul className="grid gap-4">
        {returned.map(({ id, description, amount_cents, payee, return: back }) => (
          <li key={id} className="notice is-error">
            <div className="min-w-0 flex-1">
              <p className="flex items-start justify-between gap-4 font-medium">
                <span className="wrap-anywhere">{description}</span>
                <span className="money flex-none">{moneyWords(amount_cents)}</span>
              </p>
              {back !== null && (
                <p className="text-small">
                  {back.reason} {back.what_to_do}
                </p>
              )}
              <p className="mt-2 flex flex-wrap gap-2">
                {payee.user_id === me.id && back?.who_acts === 'payee' && needsOtherAccount(back.code) && (
                  <Link className="btn btn-primary btn-sm" href="/profile#bank-account">
                    Enter another bank account
                  </Link>
                )}
                <Link className="btn btn-sm" href={`/disbursements/${id}`}>
                  See the request
                </Link>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}
