import { type Html, html } from '@case-platform/lib/html';
import type { BatchDetails, BatchEntry, BatchStatus } from '@case-platform/modules/banking';
import type { NotPayable } from '@case-platform/modules/disbursements';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { PAYMENT_HEADINGS, paymentCells, paymentName } from '../page/payment-cells.ts';
import { notedWords, sentBackWords } from '../page/sent-back.ts';
import { csrfField } from '../page/shell.ts';

/** The payments of a batch: what each is for, whom it pays, and its own state (BATCH-9). */
export function batchEntries(frame: Frame<StaffActor>, batch: BatchDetails): Html {
  const { admin } = frame.actor;
  const isChangeable = batch.status === 'draft' && batch.file_sha256 === null;
  const mayRemove = isChangeable && batch.entry_count > 1 && admin.can('create_nacha');
  const rows = batch.entries.map((entry) => entryRow(frame, batch, { entry, mayRemove }));
  return html`<section aria-labelledby="entries">
    <h2 class="section-title" id="entries">Payments</h2>
    ${dataTable([PAYMENT_HEADINGS, 'State', numberHeading('Amount')], rows, 'payment-table')}
  </section>`;
}

function entryRow(
  frame: Frame<StaffActor>,
  { id, status }: BatchDetails,
  { entry, mayRemove }: { entry: BatchEntry; mayRemove: boolean },
): Html {
  const { disbursement_id, category, holder_name, amount_cents } = entry;
  const account = frame.actor.admin.can('view_bank_accounts')
    ? html`, ${entry.account_kind} ending in <span class="mono">${entry.last_four}</span>`
    : '';
  const remove =
    mayRemove && entry.released_at === null
      ? html`<form method="post" action="/batches/${id}/remove">
        ${csrfField(frame)}
        <input type="hidden" name="disbursement_id" value="${disbursement_id}">
        <button class="btn btn-sm btn-ghost" type="submit" aria-label="Take out ${paymentName(entry)}">Take out</button>
      </form>`
      : '';
  const to = html`<span class="cell-note">${holder_name}’s account${account}</span>
    ${entry.unusual.map(({ sentence: words }) => html`<span class="cell-note is-problem">${words}</span>`)}`;
  return html`<tr>
    ${paymentCells(entry, { about: sentence(category), to })}
    <td data-label="State">${entryState(entry, status)}${notedWords(entry.noted_codes)}${remove}</td>
    <td data-label="Amount" class="is-number">
      <span class="money">${moneyWords(amount_cents)}</span>
      ${entry.trace_number === null ? '' : html`<span class="cell-note mono">${entry.trace_number}</span>`}
    </td>
  </tr>`;
}

const PROBLEMS: Record<NotPayable['reason'], string> = {
  case_ended: 'Case closed',
  payee_left: 'Payee left the case',
  payee_inactive: 'Payee deactivated',
  under_review: 'Being checked',
  account_changed: 'Account changed',
  no_account: 'No account',
  account_waits: 'Account not usable yet',
  account_closed: 'Needs another account',
};

function entryState({ released_at, return_code, problem }: BatchEntry, status: BatchStatus): Html {
  if (released_at !== null) return html`<span class="state-pill">Taken out</span>`;
  if (return_code !== null) return sentBackWords(return_code);
  if (status === 'settled') return html`<span class="state-pill is-done">Paid</span>`;
  if (problem !== null) return html`<span class="state-pill is-refused">${PROBLEMS[problem.reason]}</span>`;
  return html`<span class="state-pill">In the batch</span>`;
}
