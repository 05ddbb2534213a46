import { type Html, html } from '@case-platform/lib/html';
import { type DuePayment, PAYMENT_STATES, type PaidRequest, type PaymentState } from '@case-platform/modules/banking';
import { dayOf } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { PAYMENT_HEADINGS, paymentCells } from '../page/payment-cells.ts';
import { notedWords, sentBackWords } from '../page/sent-back.ts';
import { shellPage } from '../page/shell.ts';
import { dayElement, timeElement } from '../page/times.ts';

interface PaymentList {
  due: DuePayment[];
  next_cursor: string | null;
  paid: PaidRequest[];
  query: { state?: PaymentState | undefined; cursor?: string | undefined };
}

const STATE_WORDS: Record<PaymentState, string> = { open: 'Still to pay', paid: 'Paid', cancelled: 'Cancelled' };
const LOOKS: Record<DuePayment['status'], { words: string; look: string }> = {
  planned: { words: 'Planned', look: '' },
  requested: { words: 'Requested', look: 'is-active' },
  paid: { words: 'Paid', look: 'is-done' },
  cancelled: { words: 'Cancelled', look: '' },
};

/** Payments that are due in all cases, and the latest that were paid. */
export function paymentListPage(frame: Frame<StaffActor>, view: PaymentList): Html {
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">Payments</h1>
      <p class="page-lead">Scheduled payments on all cases, and what the bank has paid.</p>
    </header>
    ${lists(frame, view)}
  </div>`;
  return shellPage(frame, { title: 'Payments', content });
}

function lists(frame: Frame, { due, next_cursor, paid, query }: PaymentList): Html {
  const nothing =
    query.state === undefined || query.state === 'open'
      ? emptyState('calendar-clock', 'Nothing is due', 'Scheduled payments from all cases appear here.')
      : emptyState('search', 'No matching payments', 'Try another state.');
  return html`<section aria-labelledby="due">
      <h2 class="section-title" id="due">Scheduled payments</h2>
      ${tabs(query.state ?? 'open')}
      ${due.length === 0 ? html`<div class="panel">${nothing}</div>` : dueTable(frame, due)}
      ${pager({
        path: (cursor) => listAddress('/payments', { ...query, cursor }),
        current: query.cursor,
        next: next_cursor,
        first: 'First page',
        more: 'More',
      })}
    </section>
    <section aria-labelledby="paid">
      <h2 class="section-title" id="paid">Recently paid</h2>
      ${
        paid.length === 0
          ? html`<div class="panel">
            ${emptyState('hand-coins', 'Nothing paid yet', 'Requests appear here once the bank has paid them.')}
          </div>`
          : paidTable(frame, paid)
      }
    </section>`;
}

function tabs(chosen: PaymentState): Html {
  const links = PAYMENT_STATES.map((state) => {
    const here = state === chosen ? html`aria-current="page"` : '';
    return html`<a href="/payments?state=${state}" ${here}>${STATE_WORDS[state]}</a>`;
  });
  return html`<div class="filter-bar"><nav class="view-tabs" aria-label="State of scheduled payments">${links}</nav></div>`;
}

function dueTable(frame: Frame, due: DuePayment[]): Html {
  const today = dayOf(frame.clock.now, frame.clock.zone);
  const rows = due.map(
    ({ case_id, case_name, category, description, due_date, amount_cents, status, payee_name, disbursement_id }) => {
      const isLate = status === 'planned' && due_date < today;
      const { words, look } = isLate ? { words: 'Overdue', look: 'is-waiting' } : LOOKS[status];
      const label = `See the request for ${description || sentence(category)}`;
      const request =
        disbursement_id === null
          ? ''
          : html`<span class="cell-note">
            <a class="link" href="/disbursements/${disbursement_id}" aria-label="${label}">See the request</a>
          </span>`;
      return html`<tr>
        <td data-label="Payment" class="cell-wide">
          ${description || sentence(category)}
          <span class="cell-note">${sentence(category)}</span>
        </td>
        <td data-label="To" class="wrap-anywhere">
          ${payee_name === null ? html`<span class="quiet">Not set</span>` : payee_name}
        </td>
        <td data-label="Case"><a class="link" href="/cases/${case_id}">${case_name}</a></td>
        <td data-label="State"><span class="state-pill ${look}">${words}</span>${request}</td>
        <td data-label="Due" class="is-number">${dayElement(due_date, frame.clock)}</td>
        <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
      </tr>`;
    },
  );
  return dataTable(
    ['Payment', 'To', 'Case', 'State', numberHeading('Due'), numberHeading('Amount')],
    rows,
    'is-list payment-table',
  );
}

function paidTable(frame: Frame, payments: PaidRequest[]): Html {
  const rows = payments.map((payment) => {
    const { id, category, amount_cents, status, moved_at, return_code, batch_id, noted_codes } = payment;
    const state = status === 'paid' ? html`<span class="state-pill is-done">Paid</span>` : sentBackWords(return_code ?? '');
    const batch =
      batch_id === null
        ? ''
        : html`<span class="cell-note"><a class="link" href="/batches/${batch_id}">Batch ${batch_id}</a></span>`;
    return html`<tr>
        ${paymentCells({ ...payment, disbursement_id: id }, { about: sentence(category) })}
        <td data-label="State">${state}${notedWords(noted_codes)}${batch}</td>
        <td data-label="When" class="is-number">${timeElement(moved_at, frame.clock)}</td>
        <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
      </tr>`;
  });
  return dataTable([PAYMENT_HEADINGS, 'State', numberHeading('When'), numberHeading('Amount')], rows, 'is-list payment-table');
}
