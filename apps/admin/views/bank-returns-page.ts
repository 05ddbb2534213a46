import { html } from '@case-platform/lib/html';
import type { AppliedReturn, ReturnOutcome } from '@case-platform/modules/banking';
import { moneyWords } from '@case-platform/words/money';
import type { Frame } from '../frame.ts';
import type { StaffActor } from '../visitors.ts';
import { icon } from './icons.ts';
import { notice } from './notice.ts';
import { csrfField, shellPage } from './shell.ts';
import { counted } from './words.ts';

interface ReturnsView {
  /** What a file has done, when one was just read. */
  applied?: AppliedReturn[];
  filename?: string;
  problem?: string;
}

const OUTCOMES: Record<ReturnOutcome, { words: string; look: string }> = {
  returned: { words: 'Sent back', look: 'is-refused' },
  corrected: { words: 'To be corrected', look: 'is-waiting' },
  already_returned: { words: 'Known already', look: '' },
  not_ours: { words: 'Not ours', look: 'is-waiting' },
};

/** Reading a return file, and what it said. */
export function bankReturnsPage(frame: Frame<StaffActor>, { applied, filename, problem }: ReturnsView): string {
  const content = html`<div class="page">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/batches" aria-label="Back to all batches" title="Back to all batches">!${icon('arrow-left')}</a>
    <h1 class="page-title">Return files</h1>
    <p class="page-lead">The bank tells in a file which payments came back, and which accounts are to be corrected. A file is read once.</p>
  </header>
  !${problem === undefined ? '' : html`<div class="form-problem">!${notice('error', problem)}</div>`}
  !${applied === undefined ? '' : results(applied, filename ?? '')}
  !${frame.actor.admin.can('make_payments') ? form(frame) : notice('info', 'Your role does not allow reading return files.')}
</div>`;
  return shellPage(frame, { title: 'Return files', content });
}

function form(frame: Frame<StaffActor>): string {
  return html`<form method="post" action="/batches/returns" enctype="multipart/form-data" class="panel account-panel account-after" data-busy-words="Reading…">!${csrfField(frame)}
  <label class="field"><span class="field-label">Return file of the bank</span><span class="field-hint">In NACHA format, at most 10 MiB. Nothing is changed unless all of it can be read.</span><input class="file-input" type="file" name="files" required></label>
  <div class="form-actions"><button class="btn btn-primary" type="submit">Read the file</button></div>
</form>`;
}

function results(applied: AppliedReturn[], filename: string): string {
  const rows = applied.map(({ line, code, reason, name, amount_cents, outcome, disbursement_id }) => {
    const { words, look } = OUTCOMES[outcome];
    const request =
      disbursement_id === null
        ? '<span class="quiet">No payment of ours</span>'
        : html`<a class="link" href="/disbursements/${disbursement_id}">Request ${disbursement_id}</a>`;
    return html`<tr>
  <td data-label="Line" class="is-number">${line}</td>
  <td data-label="Payment" class="cell-wrap">!${request}<span class="cell-note">${name}</span></td>
  <td data-label="Reason" class="cell-wide"><span class="mono">${code}</span> ${reason}</td>
  <td data-label="Done"><span class="state-pill ${look}">${words}</span></td>
  <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
</tr>`;
  });
  const said = notice('done', `${filename} was read: ${counted(applied.length, 'entry', 'entries')}.`);
  return html`<div class="form-problem">!${said}</div><div class="data-table-wrap"><table class="data-table is-stacked">
<thead><tr><th scope="col" class="is-number">Line</th><th scope="col">Payment</th><th scope="col">Reason</th><th scope="col">Done</th><th scope="col" class="is-number">Amount</th></tr></thead>
<tbody>!${rows}</tbody></table></div>`;
}
