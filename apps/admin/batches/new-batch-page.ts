import { type Html, html } from '@case-platform/lib/html';
import type { ReadyRequest } from '@case-platform/modules/banking';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { choiceAttributes, chosen, fieldError, formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

interface NewBatch {
  /** Approved disbursements that are in no batch. */
  ready: ReadyRequest[];
  same_day: boolean;
  refused: RefusedForm | undefined;
}

/** Choosing the approved disbursements that go to the bank together. */
export function newBatchPage(frame: Frame<StaffActor>, newBatch: NewBatch): Html {
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <a class="btn btn-ghost btn-sm btn-square" href="/batches" aria-label="Back to all batches" title="Back to all batches">
        ${icon('arrow-left')}
      </a>
      <h1 class="page-title">New batch</h1>
      <p class="page-lead">Choose the approved requests to send to the bank together. Someone else then approves the batch.</p>
    </header>
    ${formNotices(newBatch)}
    ${form(frame, newBatch)}
  </div>`;
  return shellPage(frame, { title: 'New batch', content });
}

function form(frame: Frame<StaffActor>, { ready, same_day, refused }: NewBatch): Html {
  if (ready.length === 0)
    return html`<div class="panel">
      ${emptyState('landmark', 'No requests to send', 'Requests appear here once they’re approved.')}
    </div>`;
  // At first, all that can be paid are chosen.
  const ids = chosen(refused, 'disbursement_ids');
  const rows = ready.map((one) => row(frame, one, { isChosen: ids?.includes(String(one.id)) ?? true, refused }));
  const sameDay = chosen(refused, 'same_day')?.includes('yes') ?? same_day;
  return html`<form method="post" action="/batches" data-busy-words="Making…">
    ${csrfField(frame)}
    <div class="data-table-wrap">
      <table class="data-table is-stacked payment-table">
        <thead>
          <tr>
            <th scope="col"><span class="sr-only">Choose</span></th>
            <th scope="col">Request</th>
            <th scope="col">To</th>
            <th scope="col">Case</th>
            <th scope="col" class="is-number">Approved</th>
            <th scope="col" class="is-number">Amount</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
    ${fieldError('disbursement_ids', refused)}
    <label class="check-line mt-3">
      <input type="checkbox" class="checkbox" name="same_day" value="yes" ${sameDay ? 'checked' : ''}>
      <span>Same-day ACH, up to $1,000,000.00 each</span>
    </label>
    <div class="form-actions">
      <button class="btn btn-primary" type="submit">${icon('plus')}Make batch</button>
      <a class="btn btn-ghost" href="/batches">Cancel</a>
    </div>
  </form>`;
}

function row(
  frame: Frame<StaffActor>,
  { id, case_id, case_name, category, amount_cents, payee_name, decided_at, last_four, problem }: ReadyRequest,
  { isChosen, refused }: { isChosen: boolean; refused: RefusedForm | undefined },
): Html {
  const isPayable = problem === null;
  const account =
    last_four !== null && frame.actor.admin.can('view_bank_accounts')
      ? html`<span class="cell-note">Account ending in <span class="mono">${last_four}</span></span>`
      : '';
  const why = problem === null ? '' : html`<span class="cell-note is-problem">${problem}</span>`;
  return html`<tr>
    <td data-label="Choose">
      <input
        type="checkbox"
        class="checkbox"
        ${choiceAttributes('disbursement_ids', refused)}
        name="disbursement_ids"
        value="${id}"
        aria-label="Request ${id}"
        ${isChosen && isPayable ? 'checked' : ''}
        ${isPayable ? '' : 'disabled'}
      >
    </td>
    <td data-label="Request" class="cell-wide">
      <a class="link" href="/disbursements/${id}">Request ${id}</a>
      <span class="cell-note">${sentence(category)}</span>
    </td>
    <td data-label="To" class="wrap-anywhere">${payee_name}${account}${why}</td>
    <td data-label="Case"><a class="link" href="/cases/${case_id}">${case_name}</a></td>
    <td data-label="Approved" class="is-number">${timeElement(decided_at, frame.clock)}</td>
    <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
  </tr>`;
}
