import { type Html, html } from '@case-platform/lib/html';
import type { CaseStatement } from '@case-platform/modules/banking';
import { tableDayWords } from '@case-platform/words/day-words';
import { commonPeriods, type Period } from '@case-platform/words/days';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { moneyWords, PDF_IS_TOO_LONG, signedMoneyWords } from '@case-platform/words/money';
import { cashLineWords, groupByMonth, monthTotalWords, setAsideWords } from '@case-platform/words/statements/statement-lines';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';

export interface ShownStatement {
  caseId: number;
  /** Null for an invalid period. */
  statement: CaseStatement | null;
  /** The period that was requested, for the form that corrects it. */
  requested: Partial<Period>;
  /** The problem with the requested period. */
  problem: string | undefined;
}

/** The statement of a case: any period, every movement with the balance after it, to be kept as a file or printed. */
export function caseStatement(frame: Frame<StaffActor>, shown: ShownStatement): Html {
  const { statement } = shown;
  return html`<section aria-labelledby="statement">
    <div class="statement-head">
      <h2 class="section-title" id="statement">Statement</h2>
      ${statement === null ? '' : files(shown.caseId, statement)}
    </div>
    ${periodBar(frame, shown)}
    ${statement === null ? '' : table(frame, statement)}
  </section>`;
}

function periodBar({ clock }: Frame, { caseId, statement, requested, problem }: ShownStatement): Html {
  const path = `/cases/${caseId}/money`;
  const { from = '', to = '' } = statement ?? requested;
  const common = commonPeriods(clock.now).map(
    (one) =>
      html`<a
        href="${path}?from=${one.from}&to=${one.to}#statement"
        ${one.from === from && one.to === to ? html`aria-current="true"` : ''}
      >${one.words}</a>`,
  );
  const wrong = problem === undefined ? '' : html`aria-invalid="true" aria-describedby="period-problem"`;
  const day = (name: keyof Period, label: string, value: string) =>
    html`<label class="filter-field is-day">
      <span>${label}</span>
      <input class="input input-sm" type="date" name="${name}" value="${value}" max="9999-12-31" ${wrong}>
    </label>`;
  return html`<search class="no-print statement-bar">
    <nav class="view-tabs" aria-label="Common periods">${common}</nav>
    <form method="get" action="${path}#statement">
      ${day('from', 'From', from)}
      ${day('to', 'To', to)}
      <button class="btn btn-sm" type="submit">Show</button>
    </form>
    ${problem === undefined ? '' : html`<p class="field-error" id="period-problem" role="alert">${problem}</p>`}
  </search>`;
}

const FILES = [
  ['PDF, Letter', 'format=pdf&paper=letter'],
  ['PDF, A4', 'format=pdf&paper=a4'],
  ['CSV', 'format=csv'],
] as const;

function files(caseId: number, { from, to, data }: CaseStatement): Html {
  const isTooLong = data.length > STATEMENT_PDF_MAX;
  const links = FILES.filter(([, query]) => !isTooLong || query === 'format=csv').map(
    ([words, query]) =>
      html`<a class="btn btn-sm" href="/cases/${caseId}/statement?from=${from}&to=${to}&${query}" download>
        ${icon('download')}${words}
      </a>`,
  );
  return html`<div class="statement-files no-print">
    ${links}
    <button class="btn btn-sm" type="button" data-print hidden>${icon('printer')}Print</button>
    ${isTooLong ? html`<span class="quiet statement-note">${PDF_IS_TOO_LONG}</span>` : ''}
  </div>`;
}

function table(frame: Frame<StaffActor>, { from, to, data, months, ...statement }: CaseStatement): Html {
  const sum = (sign: 1 | -1) =>
    data.reduce((cents, { amount_cents }) => (Math.sign(amount_cents) === sign ? cents + amount_cents : cents), 0);
  const rows = groupByMonth(data, months).map(({ month, lines }) => [
    ...lines.map((line) => lineRow(frame, line)),
    month === null ? '' : monthRow(month),
  ]);
  const balance = (day: string, words: string, cents: number) =>
    html`<tr class="is-balance">
      <td>${tableDayWords(day)}</td>
      <td colspan="2">${words}</td>
      <td>${moneyWords(cents)}</td>
    </tr>`;
  const totals = data.length === 0 ? 'No money moved in this period.' : `${moneyWords(sum(1))} in, ${moneyWords(-sum(-1))} out.`;
  return html`<div class="panel statement-panel">
      <table class="statement-table">
        <caption class="sr-only">Movements from ${tableDayWords(from)} to ${tableDayWords(to)}, oldest first</caption>
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">What it was for</th>
            <th scope="col">Amount</th>
            <th scope="col">Balance</th>
          </tr>
        </thead>
        <tbody>
          ${balance(from, 'Opening balance', statement.opening_balance_cents)}
          ${rows}
          ${balance(to, 'Closing balance', statement.closing_balance_cents)}
        </tbody>
      </table>
    </div>
    <p class="quiet statement-note">
      ${totals} Money set aside stays in the balance until it’s paid. Days are New York days.${people(frame, statement.case_id)}
    </p>
    ${setAside(frame, statement.set_aside)}`;
}

/** The approved payments that the closing balance still contains, with their arrival days. */
function setAside(frame: Frame<StaffActor>, payments: CaseStatement['set_aside']): Html {
  if (payments.length === 0) return html``;
  const rows = payments.map((line) => {
    const { day, note } = setAsideWords(line);
    return html`<tr>
      <td>${day}</td>
      <td>${requestLink(frame, line)} <span class="quiet statement-kind">${note}</span></td>
      <td>${moneyWords(line.amount_cents)}</td>
    </tr>`;
  });
  return html`<div class="panel statement-panel statement-note">
    <table class="statement-table">
      <thead>
        <tr>
          <th scope="col">Should arrive</th>
          <th scope="col">Set aside, not paid yet</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}

function lineRow(frame: Frame<StaffActor>, line: CaseStatement['data'][number]): Html {
  return html`<tr>
    <td>${tableDayWords(line.date)}</td>
    <td>${what(frame, line)}</td>
    <td class="${line.amount_cents > 0 ? 'is-in' : ''}">${signedMoneyWords(line.amount_cents)}</td>
    <td>${moneyWords(line.balance_cents)}</td>
  </tr>`;
}

function monthRow(month: CaseStatement['months'][number]): Html {
  const { name, totals } = monthTotalWords(month);
  return html`<tr class="is-month">
    <td>${name}</td>
    <td>${totals}</td>
    <td>${signedMoneyWords(month.in_cents + month.out_cents)}</td>
    <td>${moneyWords(month.balance_cents)}</td>
  </tr>`;
}

/** A link to the people who recorded and confirmed deposits and refunds. */
function people({ actor }: Frame<StaffActor>, caseId: number): Html {
  if (!actor.admin.can('view_audit_log')) return html``;
  return html` <a class="link no-print" href="/audit?kind=case&case_id=${caseId}">See who recorded and confirmed deposits</a>`;
}

function what(frame: Frame<StaffActor>, line: CaseStatement['data'][number]): Html {
  return html`${requestLink(frame, line)} <span class="quiet statement-kind">${cashLineWords(line)}</span>`;
}

function requestLink(
  { actor }: Frame<StaffActor>,
  { description, disbursement_id }: { description: string; disbursement_id: number | null },
): Html {
  if (disbursement_id === null || !actor.admin.can('view_drs')) return html`${description}`;
  return html`<a class="link" href="/disbursements/${disbursement_id}">${description}</a>`;
}
