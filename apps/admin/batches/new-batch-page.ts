import { type Html, html } from '@case-platform/lib/html';
import type { ReadyRequest } from '@case-platform/modules/banking';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { choiceAttributes, fieldError, formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { dataTable, numberHeading, unseenHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { PAYMENT_HEADINGS, paymentCells, paymentName } from '../page/payment-cells.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElementInText } from '../page/times.ts';
import { batchTotals, totalAttributes } from './batch-totals.ts';
import { leftOut } from './left-out.ts';

/** The choices on the form, as they were sent. */
export interface BatchChoices {
  ids: ReadonlySet<number>;
  same_day: boolean;
}

interface NewBatch {
  /** Approved requests that are in no batch, whether they can be sent or not. */
  ready: ReadyRequest[];
  /** The earlier choices; undefined when the page is opened, which chooses everything that can be sent. */
  choices: BatchChoices | undefined;
  /** True if new batches are same-day by default. */
  same_day: boolean;
  refused: RefusedForm | undefined;
}

/** The page on which approved requests are put together to be sent to the bank. */
export function newBatchPage(frame: Frame<StaffActor>, newBatch: NewBatch): Html {
  const { ready } = newBatch;
  const payable = ready.filter(({ problem }) => problem === null);
  const unpayable = ready.filter(({ problem }) => problem !== null);
  const parts =
    payable.length === 0
      ? html`${nothing(unpayable.length)}${leftOut(frame, unpayable)}`
      : form(frame, { payable, unpayable }, newBatch);
  const content = html`<div class="page is-wide">
    <header class="page-header">
      ${backLink('/batches', 'Back to all batches')}
      <h1 class="page-title">New batch</h1>
      <p class="page-lead">Everything that can be sent to the bank is chosen. Someone else then approves the batch.</p>
    </header>
    ${formNotices(newBatch)}
    ${parts}
  </div>`;
  return shellPage(frame, { title: 'New batch', content, scripts: ['new-batch.js'] });
}

function nothing(count: number): Html {
  const words = count === 0 ? 'Requests appear here once they’re approved.' : 'What is approved can’t be sent yet.';
  return html`<div class="panel">${emptyState('landmark', 'No requests to send', words)}</div>`;
}

function form(
  frame: Frame<StaffActor>,
  { payable, unpayable }: { payable: ReadyRequest[]; unpayable: ReadyRequest[] },
  { choices, same_day, refused }: NewBatch,
): Html {
  const ids = choices?.ids ?? new Set(payable.map(({ id }) => id));
  const rows = payable.map((payment) => row(frame, payment, { isChosen: ids.has(payment.id), refused }));
  return html`<form method="post" action="/batches" class="batch-builder" data-new-batch data-busy-words="Making…">
    ${csrfField(frame)}
    <div>
      ${dataTable([unseenHeading('Choose'), PAYMENT_HEADINGS, numberHeading('Amount')], rows, 'payment-table')}
      ${fieldError('disbursement_ids', refused)}
    </div>
    <aside class="panel padded batch-totals" aria-label="This batch">
      ${batchTotals(payable, ids)}
      <label class="check-line">
        <input type="checkbox" class="checkbox" name="same_day" value="yes" ${(choices?.same_day ?? same_day) ? 'checked' : ''}>
        <span>Same-day ACH, up to $1,000,000.00 each</span>
      </label>
      <div class="form-actions">
        <button class="btn btn-primary" type="submit">${icon('plus')}Make batch</button>
        <button class="btn" type="submit" name="preview" value="yes" data-without-script>Update totals</button>
        <a class="btn btn-ghost" href="/batches">Cancel</a>
      </div>
    </aside>
    ${leftOut(frame, unpayable)}
  </form>`;
}

function row(
  frame: Frame<StaffActor>,
  payment: ReadyRequest,
  { isChosen, refused }: { isChosen: boolean; refused: RefusedForm | undefined },
): Html {
  const { id, category, amount_cents, payee_name, decided_at, last_four } = payment;
  const account =
    last_four !== null && frame.actor.admin.can('view_bank_accounts')
      ? html`<span class="cell-note">Account ending in <span class="mono">${last_four}</span></span>`
      : '';
  const about = html`${sentence(category)}, approved ${timeElementInText(decided_at, frame.clock)}`;
  return html`<tr>
    <td data-label="Choose">
      <input
        type="checkbox"
        class="checkbox"
        ${choiceAttributes('disbursement_ids', refused)}
        name="disbursement_ids"
        value="${id}"
        aria-label="${paymentName(payment)}, ${moneyWords(amount_cents)} to ${payee_name}"
        ${totalAttributes(payment)}
        ${isChosen ? 'checked' : ''}
      >
    </td>
    ${paymentCells({ ...payment, disbursement_id: id }, { about, to: account })}
    <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
  </tr>`;
}
