import { type Html, html } from '@case-platform/lib/html';
import type { Projection } from '@case-platform/modules/banking';
import { monthWords, shortMonthWords } from '@case-platform/words/day-words';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import { projectionBars } from '@case-platform/words/projection/projection-bars';
import { shortfallWords } from '@case-platform/words/projection/shortfall';
import { notice } from '../page/notice.ts';

/** The balance of a case after planned payments, month by month: the first month that falls short, a chart, and a table. */
export function caseProjection({ data, shortfall }: Projection): Html {
  if (data.every(({ planned_cents }) => planned_cents === 0)) return html``;
  const short =
    shortfall === null
      ? ''
      : notice('waiting', 'Everything that’s planned comes to more than what’s available.', shortfallWords(shortfall));
  const rows = data.map(
    ({ month, planned_cents, available_cents }) =>
      html`<tr>
        <td>${monthWords(month)}</td>
        <td>${planned_cents === 0 ? '–' : signedMoneyWords(-planned_cents)}</td>
        <td>${available_cents < 0 ? signedMoneyWords(available_cents) : moneyWords(available_cents)}</td>
      </tr>`,
  );
  return html`<section aria-labelledby="projection">
    <h2 class="section-title" id="projection">The months ahead</h2>
    ${short}
    <div class="panel projection-panel">
      ${chart(data)}
      <details class="more-ways">
        <summary>Show the figures</summary>
        <table class="statement-table is-narrow">
          <caption class="sr-only">Planned payments, and what is left at the end of each month</caption>
          <thead>
            <tr>
              <th scope="col">Month</th>
              <th scope="col">Planned</th>
              <th scope="col">Left</th>
            </tr>
          </thead>
          <tbody>${rows}</tbody>
        </table>
      </details>
    </div>
  </section>`;
}

function chart(months: Projection['data']): Html {
  const { width, height, zero, bars } = projectionBars(months);
  const [first, last] = [months[0], months.at(-1)];
  const words =
    first === undefined || last === undefined
      ? ''
      : `From ${moneyWords(first.available_cents)} at the end of ${monthWords(first.month)} ` +
        `to ${moneyWords(last.available_cents)} at the end of ${monthWords(last.month)}`;
  const shapes = bars.map(
    ({ month, isShort, x, y, ...size }) =>
      html`<rect
        x="${x}"
        y="${y}"
        width="${size.width}"
        height="${size.height}"
        rx="2"
        ${isShort ? html`class="is-short"` : ''}
      ></rect>
      <text x="${x + size.width / 2}" y="${height + 20}">${shortMonthWords(month)}</text>`,
  );
  return html`<svg class="projection" viewBox="0 -4 ${width} ${height + 28}" role="img" aria-label="${words}">
    ${shapes}
    <line x1="0" x2="${width}" y1="${zero}" y2="${zero}"></line>
  </svg>`;
}
