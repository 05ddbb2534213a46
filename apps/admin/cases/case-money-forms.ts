import { randomUUID } from 'node:crypto';
import { html } from '@case-platform/lib/html';
import type { CasePerson } from '@case-platform/modules/cases';
import { AMOUNT_FIELD_MAX, CATEGORY_MAX, DESCRIPTION_MAX, MEMO_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { formField } from '../form/form-field.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import type { CaseMoneyView } from './case-money-page.ts';

/** The same form sent twice does its work once. */
const onceField = () => html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">`;

/** What came in from the parents, or went back to them. */
export function moneyForm(frame: Frame, { outline, failed }: CaseMoneyView): string {
  const mine = failed?.form === 'money' ? failed : undefined;
  const { kind = 'deposit', amount = '', memo = '' } = mine?.values ?? {};
  const choice = (value: string, words: string) =>
    html`<label class="check-line"><input class="radio" type="radio" name="kind" value="${value}" !${value === kind ? 'checked' : ''}><span>${words}</span></label>`;
  const amountField = formField(
    {
      ...{ id: 'money-amount', name: 'amount', label: 'Amount in dollars' },
      control: (marks) =>
        html`<input class="input money" !${marks} value="${amount}" inputmode="decimal" maxlength="${AMOUNT_FIELD_MAX}" autocomplete="off" required>`,
    },
    mine?.problem,
  );
  const memoField = formField(
    {
      ...{ id: 'money-memo', name: 'memo', label: 'Note', hint: 'For example, the bank’s reference number.' },
      control: (marks) =>
        html`<input class="input" !${marks} value="${memo}" maxlength="${MEMO_MAX}" autocomplete="off">`,
    },
    mine?.problem,
  );
  return html`<section aria-labelledby="record"><h2 class="section-title" id="record">Record a deposit or refund</h2>
  <form class="panel edit-panel" method="post" action="/cases/${outline.id}/money" data-busy-words="Recording…">!${csrfField(frame)}!${onceField()}
    <fieldset class="field"><legend class="field-label">Type</legend>!${choice('deposit', 'Deposit from the parents')}!${choice('refund', 'Refund to the parents')}</fieldset>
    <div class="field-pair">!${amountField}!${memoField}</div>
    <p class="field-hint">It counts once a second person confirms it. To correct a confirmed entry, record the opposite.</p>
    <div class="form-actions"><button class="btn btn-primary" type="submit">Record</button></div>
  </form></section>`;
}

/** A new line of the calendar. */
export function scheduledPaymentForm(frame: Frame, { outline, people, payments, failed }: CaseMoneyView): string {
  const mine = failed?.form === 'payment' ? failed : undefined;
  const { category = '', description = '', due_date = '', amount = '', payee_id = '' } = mine?.values ?? {};
  const problem = mine?.problem;
  const names = [...new Set(payments.map((payment) => payment.category))];
  const fields = [
    formField(
      {
        ...{ id: 'payment-category', name: 'category', label: 'Kind of cost' },
        hint: 'Payments of the same kind are listed together. We tell the case team when the last one is paid.',
        control: (marks) =>
          html`<input class="input" !${marks} value="${category}" maxlength="${CATEGORY_MAX}" list="payment-kinds" autocomplete="off" required><datalist id="payment-kinds">!${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`,
      },
      problem,
    ),
    formField(
      {
        ...{ id: 'payment-description', name: 'description', label: 'What it is for' },
        control: (marks) =>
          html`<input class="input" !${marks} value="${description}" maxlength="${DESCRIPTION_MAX}" autocomplete="off">`,
      },
      problem,
    ),
    html`<div class="field-pair">!${formField(
      {
        ...{ id: 'payment-amount', name: 'amount', label: 'Amount in dollars' },
        control: (marks) =>
          html`<input class="input money" !${marks} value="${amount}" inputmode="decimal" maxlength="${AMOUNT_FIELD_MAX}" autocomplete="off" required>`,
      },
      problem,
    )}!${formField(
      {
        ...{ id: 'payment-due', name: 'due_date', label: 'Due on' },
        control: (marks) => html`<input class="input" type="date" !${marks} value="${due_date}" required>`,
      },
      problem,
    )}</div>`,
    formField(
      {
        ...{ id: 'payment-payee', name: 'payee_id', label: 'Payee' },
        control: (marks) =>
          html`<select class="select" !${marks}><option value="">Not known yet</option>!${people.map((one) => payee(one, payee_id))}</select>`,
      },
      problem,
    ),
  ];
  return html`<section aria-labelledby="plan"><h2 class="section-title" id="plan">Plan a payment</h2>
  <form class="panel edit-panel" method="post" action="/cases/${outline.id}/scheduled-payments" data-busy-words="Adding…">!${csrfField(frame)}!${onceField()}
    !${fields}
    <div class="form-actions"><button class="btn btn-primary" type="submit">!${icon('plus')}Add to the calendar</button></div>
  </form></section>`;
}

function payee({ user_id, name, user_type }: CasePerson, chosen: string): string {
  return html`<option value="${user_id}" !${String(user_id) === chosen ? 'selected' : ''}>${name}, ${userTypeInWords(user_type).toLowerCase()}</option>`;
}
