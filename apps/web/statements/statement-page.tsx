import { tableDayWords } from '@case-platform/words/day-words';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import { cashLineWords, groupByMonth, monthTotalWords, setAsideWords } from '@case-platform/words/statements/statement-lines';
import { notFound } from 'next/navigation';
import { Fragment } from 'react';
import { isMissing, rejectionWords } from '../api/api-error.ts';
import type { CaseStatement } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { idInPath } from '../messages/chain-paths.ts';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { Figures } from './figures.tsx';
import { periodQuery } from './period.ts';
import { PeriodBar } from './period-bar.tsx';

interface Props {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<'from' | 'to', string | string[] | undefined>>;
}

/** The statement of a case (STATEMENT-1), for the period in the URL. */
export async function StatementPage({ params, searchParams }: Props) {
  await requireMe();
  const id = idInPath((await params).id);
  if (id === null) notFound();
  const search = await searchParams;
  const source = `/api/cases/${id}/statement` as const;
  const answer = await apiServer<CaseStatement>(`${source}${periodQuery(search)}`);
  if (!answer.ok && isMissing(answer)) notFound();
  const query = Object.fromEntries(new URLSearchParams(periodQuery(search)));
  const bar = { path: `/cases/${id}/statement`, source, query };
  return (
    <PageFrame
      title="Statement"
      lead={
        <Link className="link" href={`/cases/${id}`}>
          {answer.ok ? answer.data.case_name : 'Back to the case'}
        </Link>
      }
    >
      <RefreshOnReturn />
      <RefreshOnChange caseId={id} />
      {answer.ok ? (
        <>
          <PeriodBar {...bar} period={answer.data} rows={answer.data.data.length} />
          <Statement statement={answer.data} />
        </>
      ) : answer.status === 422 ? (
        <PeriodBar {...bar} period={undefined} problem={answer.message} />
      ) : (
        <ErrorState
          title="We couldn’t load the statement"
          text={rejectionWords(answer) ?? 'Nothing about the money has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

function Statement({ statement }: { statement: CaseStatement }) {
  const { from, to, data, months, opening_balance_cents, closing_balance_cents } = statement;
  const sum = (sign: 1 | -1) =>
    data.reduce((cents, { amount_cents }) => (Math.sign(amount_cents) === sign ? cents + amount_cents : cents), 0);
  return (
    <>
      <Figures
        figures={[
          ['Opening balance', moneyWords(opening_balance_cents)],
          ['Money in', signedMoneyWords(sum(1))],
          ['Money out', signedMoneyWords(sum(-1))],
          ['Closing balance', moneyWords(closing_balance_cents)],
        ]}
      />
      <div className="panel overflow-x-auto">
        <table className="statement-table">
          <caption className="sr-only">
            Movements from {tableDayWords(from)} to {tableDayWords(to)}, oldest first
          </caption>
          <thead>
            <tr>
              <th scope="col">Date</th>
              <th scope="col">What it was for</th>
              <th scope="col">Amount</th>
              <th scope="col">Balance</th>
            </tr>
          </thead>
          <tbody>
            <BalanceRow day={from} words="Opening balance" cents={opening_balance_cents} />
            {groupByMonth(data, months).map(({ month, lines }) => (
              <Fragment key={month?.month ?? 'all'}>
                {lines.map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries of the ledger never change their order.
                  <tr key={at}>
                    <td>{tableDayWords(line.date)}</td>
                    <td>
                      <What line={line} />
                    </td>
                    <td className={line.amount_cents > 0 ? 'is-in' : ''}>{signedMoneyWords(line.amount_cents)}</td>
                    <td>{moneyWords(line.balance_cents)}</td>
                  </tr>
                ))}
                {month !== null && <MonthRow month={month} />}
              </Fragment>
            ))}
            <BalanceRow day={to} words="Closing balance" cents={closing_balance_cents} />
          </tbody>
        </table>
      </div>
      <p className="quiet mt-3 text-small">
        {data.length === 0 && 'No money moved in this period. '}
        Money set aside for approved requests is still part of the balance until it is paid. Dates follow New York time.
      </p>
      <SetAside payments={statement.set_aside} />
    </>
  );
}

/** The approved payments that the closing balance still contains, with their arrival days. */
function SetAside({ payments }: { payments: CaseStatement['set_aside'] }) {
  if (payments.length === 0) return null;
  return (
    <div className="panel mt-3 overflow-x-auto">
      <table className="statement-table">
        <thead>
          <tr>
            <th scope="col">Should arrive</th>
            <th scope="col">Set aside, not paid yet</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => {
            const { day, note } = setAsideWords(payment);
            return (
              <tr key={payment.disbursement_id}>
                <td>{day}</td>
                <td>
                  <RequestLink {...payment} />
                  <span className="quiet block text-small">{note}</span>
                </td>
                <td>{moneyWords(payment.amount_cents)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function MonthRow({ month }: { month: CaseStatement['months'][number] }) {
  const { name, totals } = monthTotalWords(month);
  return (
    <tr className="is-month">
      <td>{name}</td>
      <td>{totals}</td>
      <td>{signedMoneyWords(month.in_cents + month.out_cents)}</td>
      <td>{moneyWords(month.balance_cents)}</td>
    </tr>
  );
}

function What({ line }: { line: CaseStatement['data'][number] }) {
  return (
    <>
      <RequestLink {...line} />
      <span className="quiet block text-small">{cashLineWords(line)}</span>
    </>
  );
}

function RequestLink({ description, disbursement_id }: Pick<CaseStatement['data'][number], 'description' | 'disbursement_id'>) {
  if (disbursement_id === null) return description;
  return (
    <Link className="link" href={`/disbursements/${disbursement_id}`}>
      {description}
    </Link>
  );
}

function BalanceRow({ day, words, cents }: { day: string; words: string; cents: number }) {
  return (
    <tr className="is-balance">
      <td>{tableDayWords(day)}</td>
      <td colSpan={2}>{words}</td>
      <td>{moneyWords(cents)}</td>
    </tr>
  );
}
