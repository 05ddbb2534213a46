import { monthWords, shortMonthWords } from '@case-platform/words/day-words';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import { projectionBars } from '@case-platform/words/projection/projection-bars';
import { shortfallWords } from '@case-platform/words/projection/shortfall';
import type { CaseProjection as Projection } from '../api/api-shapes.ts';
import { Notice } from '../look/notice.tsx';

/** The projection of a case (PROJECTION-1): the first month that falls short, a chart, and the figures as a table. */
export function CaseProjection({ projection: { data, shortfall } }: { projection: Projection }) {
  if (data.every(({ planned_cents }) => planned_cents === 0)) return null;
  return (
    <section>
      <h2 className="section-title">The months ahead</h2>
      {shortfall !== null && (
        <Notice kind="waiting" title={shortfallWords(shortfall)} className="mb-4">
          Everything that’s planned comes to more than what’s available.
        </Notice>
      )}
      <div className="panel overflow-hidden">
        <Chart months={data} />
        <details className="border-t border-(--hairline)">
          <summary className="cursor-pointer p-4 text-small">Show the figures</summary>
          <table className="statement-table is-narrow">
            <caption className="sr-only">What’s planned, and what’s left at the end of each month</caption>
            <thead>
              <tr>
                <th scope="col">Month</th>
                <th scope="col">Planned</th>
                <th scope="col">Left</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ month, planned_cents, available_cents }) => (
                <tr key={month}>
                  <td>{monthWords(month)}</td>
                  <td>{planned_cents === 0 ? 'Nothing planned' : signedMoneyWords(-planned_cents)}</td>
                  <td>{available_cents < 0 ? signedMoneyWords(available_cents) : moneyWords(available_cents)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    </section>
  );
}

function Chart({ months }: { months: Projection['data'] }) {
  const { width, height, zero, bars } = projectionBars(months);
  const [first, last] = [months[0], months.at(-1)];
  const words =
    first === undefined || last === undefined
      ? ''
      : `From ${moneyWords(first.available_cents)} at the end of ${monthWords(first.month)} to ${moneyWords(last.available_cents)} at the end of ${monthWords(last.month)}`;
  return (
    <svg className="projection p-4" viewBox={`0 -4 ${width} ${height + 28}`} role="img" aria-label={words}>
      {bars.map(({ month, isShort, ...place }) => (
        <g key={month}>
          <rect {...place} rx={2} className={isShort ? 'is-short' : undefined} />
          <text x={place.x + place.width / 2} y={height + 20}>
            {shortMonthWords(month)}
          </text>
        </g>
      ))}
      <line x1={0} x2={width} y1={zero} y2={zero} />
    </svg>
  );
}
