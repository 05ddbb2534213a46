import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';
import type { BankAccount, RequestInBatch } from '@case-platform/modules/banking';
import type { CasePerson } from '@case-platform/modules/cases';
import type { Disbursement, DisbursementFile, PaymentStop, RequestBenefit } from '@case-platform/modules/disbursements';
import type { DisbursementMovement } from '@case-platform/modules/ledger';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { noLimitWords, requestBenefitWords } from '@case-platform/words/benefits';
import { moneyWords } from '@case-platform/words/money';
import { userTypeInWords } from '@case-platform/words/user-types';
import { batchState } from '../batches/index.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement, timeElementInText } from '../page/times.ts';
import { disbursementActions, mayChange } from './disbursement-actions.ts';
import { disbursementHistory, disbursementMovements } from './disbursement-history.ts';
import { disbursementReceipts } from './disbursement-receipts.ts';
import { disbursementState, disbursementStepper } from './disbursement-state.ts';
import { stoppedPayments } from './payment-stop-forms.ts';

interface DisbursementView {
  disbursement: Disbursement;
  benefit: RequestBenefit | null;
  files: DisbursementFile[];
  /** Its entries in the audit log, the newest first. */
  history: AuditRecord[];
  movements: DisbursementMovement[];
  batch: RequestInBatch | null;
  /** The payee's current account; null also for readers who may not see it. */
  account: BankAccount | null;
  /** The stop of all payments to its payee; null for none. */
  stop: PaymentStop | null;
  /** True if the reader sees its case. */
  onCase: boolean;
  done?: string | undefined;
  refused: RefusedForm | undefined;
}

/** A disbursement: how far it is, what it waits for, whom it pays, its receipts and its history. */
export function disbursementPage(frame: Frame<StaffActor>, view: DisbursementView): Html {
  const { disbursement, files, onCase, done, refused } = view;
  const { id, description, amount_cents, payee, case_id, case_name } = disbursement;
  const content = html`<div class="page is-wide" data-case="${case_id}" data-shows="all">
    <header class="page-header">
      ${backLink('/disbursements', 'Back to all requests')}
      <h1 class="page-title">${description}</h1>
      <p class="page-lead" id="request-state" data-live>
        ${disbursementState(disbursement)} <strong class="money">${moneyWords(amount_cents)}</strong> to ${payee.name}, request
        <span class="mono">${id}</span> of <a class="link" href="/cases/${case_id}">${case_name}</a>
      </p>
    </header>
    ${formNotices({ done, refused })}
    <div id="request-steps" data-live>${disbursementStepper(disbursement)}</div>
    <div class="page-columns is-request">
      <div>
        <div id="request-stop" data-live>${stoppedPayments(frame, { id, stop: view.stop }, refused)}</div>
        <div id="request-next" data-live>${disbursementActions(frame, view)}</div>
        <div id="request-facts" data-live>${facts(frame, view)}</div>
        <div id="request-history" data-live>${disbursementHistory(frame, view.history)}</div>
      </div>
      <div>${disbursementReceipts(frame, { disbursement, files, mayAdd: onCase && mayChange(frame, disbursement) })}</div>
    </div>
    <div id="request-movements" data-live>${disbursementMovements(frame, view.movements)}</div>
  </div>`;
  return shellPage(frame, { title: description, content, scripts: ['uploads.js', 'request.js'] });
}

function facts(frame: Frame<StaffActor>, { disbursement, benefit, batch, account, onCase }: DisbursementView): Html {
  const { payee, submitted_by, approver, submitted_at, decided_at, decision_reason } = disbursement;
  const { paid_at, returned_at, return_code, chain_id } = disbursement;
  const moment = (at: Date | null) => (at === null ? '' : html`, ${timeElementInText(at, frame.clock)}`);
  const isUndecided = disbursement.status === 'draft' || disbursement.status === 'submitted';
  const noLimit = isUndecided ? noLimitWords(disbursement.category) : null;
  const limit = benefit === null ? noLimit : requestBenefitWords(benefit);
  const rows: [string, HtmlValue][] = [
    ['Category', disbursement.category],
    ['Contract limit', limit],
    ['Payee', [person(payee), payeeAccount(frame, payee, account)]],
    [submitted_at === null ? 'Written by' : 'Requested by', onCase ? [person(submitted_by), moment(submitted_at)] : null],
    [
      decided_at === null ? 'Approver' : disbursement.status === 'denied' ? 'Denied by' : 'Approved by',
      onCase ? [approver === null ? 'Staff who can approve requests' : person(approver), moment(decided_at)] : null,
    ],
    ['Reason', decision_reason],
    ['Batch', batch === null ? null : batchFact(frame, batch)],
    ['Paid', paid_at === null ? null : timeElement(paid_at, frame.clock)],
    ['Sent back', returned_at === null ? null : html`${timeElement(returned_at, frame.clock)}, ${returned(return_code)}`],
    ['Conversation', chain_id === null ? null : html`<a class="link" href="/messages/${chain_id}">Open the conversation</a>`],
  ];
  const items = rows.flatMap(([name, value]) => (value === null ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`]));
  return html`<section aria-labelledby="facts">
    <h2 class="section-title" id="facts">Details</h2>
    <dl class="facts panel padded">${items}</dl>
  </section>`;
}

function person({ name, user_type }: CasePerson): Html {
  return html`${name}, ${userTypeInWords(user_type).toLowerCase()}`;
}

function payeeAccount({ actor: { admin } }: Frame<StaffActor>, payee: CasePerson, account: BankAccount | null): Html {
  if (!admin.can('view_bank_accounts')) return html``;
  const words =
    account === null
      ? 'no bank account yet'
      : html`${account.holder_name}’s ${account.account_kind} account ending in <span class="mono">${account.last_four}</span>`;
  return html` · <a class="link" href="/bank-accounts/${payee.user_id}">${words}</a>`;
}

function batchFact({ actor: { admin } }: Frame<StaffActor>, batch: RequestInBatch): Html {
  const account = admin.can('view_bank_accounts')
    ? html`, to the ${batch.account_kind} account ending in <span class="mono">${batch.last_four}</span>`
    : '';
  const trace = batch.trace_number === null ? '' : html`, trace <span class="mono">${batch.trace_number}</span>`;
  return html`<a class="link" href="/batches/${batch.batch_id}">Batch ${batch.batch_id}</a>
    ${batchState(batch.batch_status)}${account}${trace}`;
}

function returned(code: string | null): string {
  return code === null ? 'no reason given' : `${reasonInWords(code)} (${code})`;
}
