import { monthWords, tableDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { groupByMonth } from '@case-platform/words/statements/statement-lines';
import { Landmark } from 'lucide-react';
import { Fragment } from 'react';
import { rejectionWords } from '../api/api-error.ts';
import type { OwnPayments } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { Figures } from './figures.tsx';
import { periodQuery } from './period.ts';
import { PeriodBar } from './period-bar.tsx';

interface Props {
  searchParams: Promise<Record<'from' | 'to', string | string[] | undefined>>;
}

/** Payments to the reader over all cases (STATEMENT-5), for the period in the URL. */
export async function PaymentsPage({ searchParams }: Props) {
  await requireMe();
  const search = await searchParams;
  const source = '/api/user/me/payments';
  const answer = await apiServer<OwnPayments>(`${source}${periodQuery(search)}`);
  const query = Object.fromEntries(new URLSearchParams(periodQuery(search)));
  const bar = { path: '/payments', source, query } as const;
  return (
    <PageFrame title="Paid to you" lead="Every payment to your bank account, across all your cases.">
      <RefreshOnReturn />
      <RefreshOnChange />
      {answer.ok ? (
        <>
          <PeriodBar {...bar} period={answer.data} rows={answer.data.data.length} />
          <Payments payments={answer.data} />
        </>
      ) : answer.status === 422 ? (
        <PeriodBar {...bar} period={undefined} problem={answer.message} />
      ) : (
        <ErrorState
          title="We couldn’t load your payments"
          text={rejectionWords(answer) ?? 'Nothing about them has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

function Payments({ payments: { data, months, total_cents } }: { payments: OwnPayments }) {
  if (data.length === 0) {
    return (
      <div className="panel empty-state">
        <Landmark aria-hidden="true" />
        <h2>Nothing was paid to you in this period</h2>
        <p>Each payment shows up here on the day the bank makes it. Choose another period to look further back.</p>
        <Link className="btn" href="/disbursements">
          See your requests
        </Link>
      </div>
    );
  }
  return (
    <>
      <Figures figures={[['Paid to you', moneyWords(total_cents)]]} />
      <div className="panel overflow-x-auto">
        <table className="statement-table">
          <caption className="sr-only">Payments to you, oldest first</caption>
          <thead>
            <tr>
              <th scope="col">Date</th>
              <th scope="col">What for</th>
              <th scope="col">Amount</th>
            </tr>
          </thead>
          <tbody>
            {groupByMonth(data, months).map(({ month, lines }) => (
              <Fragment key={month?.month ?? 'all'}>
                {lines.map((payment, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries of the ledger never change their order.
                  <tr key={at}>
                    <td>{tableDayWords(payment.date)}</td>
                    <td>
                      <WhatFor payment={payment} />
                    </td>
                    <td className={payment.state === 'returned' ? 'quiet line-through' : ''}>
                      {moneyWords(payment.amount_cents)}
                    </td>
                  </tr>
                ))}
                {month !== null && (
                  <tr className="is-month">
                    <td colSpan={2}>{monthWords(month.month)} total</td>
                    <td>{moneyWords(month.total_cents)}</td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {data.some(({ state }) => state === 'returned') && (
        <p className="quiet mt-3 text-small">Payments the bank sent back don’t count toward the total.</p>
      )}
    </>
  );
}

function WhatFor({ payment }: { payment: OwnPayments['data'][number] }) {
  const { sees_case, disbursement_id, category, description, state } = payment;
  return (
    <>
      {sees_case ? (
        <Link className="link" href={`/disbursements/${disbursement_id}`}>
          {description}
        </Link>
      ) : (
        description
      )}
      <span className="quiet block text-small">
        {sentence(category)}
        {state === 'returned' && ', sent back by the bank'}
      </span>
    </>
  );
}
