import { html } from '@case-platform/lib/html';
import type { ReadyRequest } from '@case-platform/modules/banking';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/names';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState, notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

interface NewBatch {
  requests: ReadyRequest[];
  same_day: boolean;
  /** Ids that were chosen before; else all that can be paid. */
  chosen?: number[];
  problem?: string;
}

/** Choosing the approved requests that go to the bank together. */
export function newBatchPage(frame: Frame<StaffActor>, { requests, same_day, chosen, problem }: NewBatch): string {
  const content = html`<div class="page is-wide">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/batches" aria-label="Back to all batches" title="Back to all batches">!${icon('arrow-left')}</a>
    <h1 class="page-title">New batch</h1>
    <p class="page-lead">Choose the approved requests that go to the bank together. Another admin approves the batch, then its file is made.</p>
  </header>
  !${problem === undefined ? '' : html`<div class="form-problem">!${notice('error', problem)}</div>`}
  !${body(frame, { requests, same_day, chosen })}
</div>`;
  return shellPage(frame, { title: 'New batch', content });
}

function body(
  frame: Frame<StaffActor>,
  { requests, same_day, chosen }: Omit<NewBatch, 'problem' | 'chosen'> & { chosen: number[] | undefined },
): string {
  if (!frame.actor.admin.can('create_nacha')) return notice('info', 'Your role does not allow making batches.');
  if (requests.length === 0)
    return html`<div class="panel">!${emptyState('landmark', 'Nothing waits for a batch', 'Requests show up here once they are approved.')}</div>`;
  const rows = requests.map((request) => row(frame, request, chosen?.includes(request.id) ?? request.problem === null));
  return html`<form method="post" action="/batches" data-busy-words="Gathering…">!${csrfField(frame)}
<div class="data-table-wrap"><table class="data-table is-stacked payment-table">
<thead><tr><th scope="col"><span class="sr-only">Choose</span></th><th scope="col">Request</th><th scope="col">To</th><th scope="col">Case</th><th scope="col" class="is-number">Approved</th><th scope="col" class="is-number">Amount</th></tr></thead>
<tbody>!${rows}</tbody></table></div>
<label class="check-line account-after"><input type="checkbox" class="checkbox" name="same_day" value="yes" !${same_day ? 'checked' : ''}><span>Same-day ACH, up to $1,000,000.00 each</span></label>
<div class="form-actions"><button class="btn btn-primary" type="submit">!${icon('plus')}Make the batch</button><a class="btn btn-ghost" href="/batches">Cancel</a></div>
</form>`;
}

function row(frame: Frame<StaffActor>, request: ReadyRequest, isChosen: boolean): string {
  const { id, case_id, case_name, category, amount_cents, payee_name, decided_at, last_four, problem } = request;
  const isPayable = problem === null;
  const account =
    last_four !== null && frame.actor.admin.can('view_bank_accounts')
      ? html`<span class="cell-note">Account ending in <span class="mono">${last_four}</span></span>`
      : '';
  const why = problem === null ? '' : html`<span class="cell-note is-problem">${payee_name} ${problem}.</span>`;
  return html`<tr>
  <td data-label="Choose"><input type="checkbox" class="checkbox" name="disbursement_ids" value="${id}" aria-label="Request ${id}" !${isChosen && isPayable ? 'checked' : ''} !${isPayable ? '' : 'disabled'}></td>
  <td data-label="Request" class="cell-wide"><a class="link" href="/disbursements/${id}">Request ${id}</a><span class="cell-note">${sentence(category)}</span></td>
  <td data-label="To" class="cell-wrap">${payee_name}!${account}!${why}</td>
  <td data-label="Case"><a class="link" href="/cases/${case_id}">${case_name}</a></td>
  <td data-label="Approved" class="is-number">!${timeElement(decided_at, frame.clock)}</td>
  <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
</tr>`;
}
