import { type Html, html } from '@case-platform/lib/html';
import type { PlannedOutcome, ReturnFile, ReturnFileSummary, ShownReturn } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { MEMO_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { formNotices, refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { paymentLink } from '../page/payment-cells.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

interface ReturnFileView {
  file: ReturnFile;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

const STATES: Record<ReturnFileSummary['status'], { words: string; look: string }> = {
  waiting: { words: 'Waiting for a second person', look: 'is-waiting' },
  applied: { words: 'Confirmed', look: 'is-done' },
  refused: { words: 'Refused', look: 'is-refused' },
};

/** The state of a return file as a pill. */
export function returnFileState({ status }: Pick<ReturnFileSummary, 'status'>): Html {
  return html`<span class="state-pill ${STATES[status].look}">${STATES[status].words}</span>`;
}

/** Words for an entry's effect, before and after it was applied. */
const OUTCOMES: Record<PlannedOutcome, { plan: string; done: string; look: string }> = {
  returned: { plan: 'Returns the money', done: 'Sent back', look: 'is-refused' },
  corrected: { plan: 'Flags the account', done: 'Needs a correction', look: 'is-waiting' },
  already_returned: { plan: 'Already recorded', done: 'Already recorded', look: '' },
  noted: { plan: 'Changes nothing', done: 'Changed nothing', look: 'is-waiting' },
  not_ours: { plan: 'Not ours', done: 'Not ours', look: 'is-waiting' },
};

/** A return file: what it does, and the second person's decision. */
export function returnFilePage(frame: Frame<StaffActor>, { file, done, refused }: ReturnFileView): Html {
  const title = file.filename;
  const content = html`<div class="page">
    <header class="page-header">
      ${backLink('/batches/returns', 'Back to all return files')}
      <h1 class="page-title">${title}</h1>
      <p class="page-lead">
        ${returnFileState(file)} Uploaded by ${file.uploaded_by_name},
        ${timeElement(file.uploaded_at, frame.clock)}${decided(frame, file)}
      </p>
    </header>
    ${formNotices({ done, refused })}
    ${nextStep(frame, file, refused)}
    ${entries(file)}
    ${digest(file)}
  </div>`;
  return shellPage(frame, { title, content });
}

function decided({ clock }: Frame, { status, decided_by_name, decided_at, decision_reason }: ReturnFile): Html {
  if (decided_by_name === null || decided_at === null) return html``;
  const at = timeElement(decided_at, clock);
  if (status === 'applied') return html`. Confirmed by ${decided_by_name}, ${at}`;
  return html`. Refused by ${decided_by_name}, ${at}: ${decision_reason}`;
}

/** True for a payment of ours that the reader may not see. */
const isHidden = ({ disbursement_id, payment }: ShownReturn) => disbursement_id !== null && payment === null;

function nextStep(frame: Frame<StaffActor>, file: ReturnFile, refused: RefusedForm | undefined): Html {
  if (file.version === null) return html``;
  const nobody = file.has_second
    ? ''
    : html`<p>
      Nobody can do that right now. It takes another person who can make payments and has access to all of these cases.
    </p>`;
  const hidden = file.returns.some(isHidden);
  const words = hidden
    ? html`<p>Some of these payments belong to cases you can’t see. Someone with access to all of them has to decide.</p>`
    : file.is_own
      ? html`<p>You uploaded this file, so someone else has to confirm it.</p>`
      : confirmForm(frame, file);
  return html`<section class="panel padded next-step" aria-labelledby="next-step">
    <h2 class="section-title" id="next-step">What happens next</h2>
    ${words}
    ${nobody}
    ${hidden ? '' : refuseForm(frame, file, refused)}
  </section>`;
}

function confirmForm(frame: Frame, { id, version, returns }: ReturnFile): Html {
  const back = returns.filter(({ outcome }) => outcome === 'returned');
  const cents = back.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const flagged = returns.filter(({ outcome }) => outcome === 'corrected').length;
  const gives =
    back.length === 0 ? '' : `${counted(back.length, 'payment comes', 'payments come')} back, ${moneyWords(cents)} in all.`;
  const flags = flagged === 0 ? '' : `${counted(flagged, 'account needs', 'accounts need')} a correction.`;
  const noted = returns.filter(({ outcome }) => outcome === 'noted').length;
  const notes = noted === 0 ? '' : `Ask the bank about ${counted(noted, 'line that changes', 'lines that change')} nothing.`;
  const does = gives + flags === '' ? 'It doesn’t change any payments or accounts.' : `${gives} ${flags}`;
  return html`<p>Compare it with the bank’s file. ${does} ${notes} You can’t undo this.</p>
    <form method="post" action="/batches/returns/${id}/confirm" class="mt-3" data-busy-words="Confirming…">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      <button class="btn btn-primary" type="submit">${icon('shield-check')}Confirm the file</button>
    </form>`;
}

function refuseForm(frame: Frame, { id, version, is_own }: ReturnFile, anyRefused: RefusedForm | undefined): Html {
  const words = is_own ? 'Take it back' : 'Refuse the file';
  const action = `/batches/returns/${id}/refuse`;
  const refused = refusedAt(action, anyRefused);
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>${words}</summary>
    <form method="post" action="${action}" class="inline-form">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      ${textField({ name: 'reason', label: 'Why?', max: MEMO_MAX }, refused)}
      <button class="btn btn-error" type="submit">${words}</button>
    </form>
  </details>`;
}

function entries({ returns, status }: ReturnFile): Html {
  if (returns.length === 0) return html``;
  const rows = returns.map((entry) => row(entry, status === 'applied'));
  return dataTable(
    [numberHeading('Line'), 'Payment', 'Reason', status === 'applied' ? 'Done' : 'What happens', numberHeading('Amount')],
    rows,
  );
}

function row(shown: ShownReturn, isDone: boolean): Html {
  const { line, code, reason, name, amount_cents, outcome } = shown;
  const { plan, done, look } = OUTCOMES[outcome];
  const note = !isHidden(shown) && name !== null ? html`<span class="cell-note">In the file: ${name}</span>` : '';
  const amount = isHidden(shown)
    ? html`<span class="quiet">Hidden</span>`
    : html`<span class="money">${moneyWords(amount_cents)}</span>`;
  return html`<tr>
    <td data-label="Line" class="is-number">${line}</td>
    <td data-label="Payment" class="wrap-anywhere">${paymentOf(shown)}${note}</td>
    <td data-label="Reason" class="cell-wide"><span class="mono">${code}</span> ${reason}</td>
    <td data-label="${isDone ? 'Done' : 'What happens'}">
      <span class="state-pill ${look}">${isDone ? done : plan}</span>
    </td>
    <td data-label="Amount" class="is-number">${amount}</td>
  </tr>`;
}

function paymentOf({ disbursement_id, payment }: ShownReturn): Html {
  if (disbursement_id === null) return html`<span class="quiet">Not one of our payments</span>`;
  if (payment === null) return html`<span class="quiet">In a case you can’t see</span>`;
  return html`${paymentLink({ ...payment, disbursement_id })}<span class="cell-note">to ${payment.payee_name}</span>`;
}

function digest({ sha256 }: ReturnFile): Html {
  return html`<p class="quiet mt-3">File fingerprint (SHA-256): <span class="mono wrap-anywhere">${sha256}</span></p>`;
}
