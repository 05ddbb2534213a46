import { type Html, html } from '@case-platform/lib/html';
import type { CasePerson } from '@case-platform/modules/cases';
import { DESCRIPTION_MAX, MEMO_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { categoryField } from '../form/category-field.ts';
import { amountField, radioField, refusedAt, selectField, textField } from '../form/fields.ts';
import { idempotencyField } from '../form/idempotency-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';

/** A deposit by the parents, or a refund to them. */
export function cashForm(frame: Frame, caseId: number, anyRefused: RefusedForm | undefined): Html {
  const action = `/cases/${caseId}/money`;
  const refused = refusedAt(action, anyRefused);
  const kinds = [
    { id: 'deposit', name: 'Deposit from the parents' },
    { id: 'refund', name: 'Refund to the parents' },
  ];
  const amount = { id: 'money-amount', name: 'amount', label: 'Amount in dollars' };
  const memo = { id: 'money-memo', name: 'memo', label: 'Note', hint: 'For example, the bank’s reference number.' };
  return html`<section aria-labelledby="record">
    <h2 class="section-title" id="record">Record a deposit or refund</h2>
    <form class="panel edit-panel" method="post" action="${action}" data-busy-words="Recording…">
      ${csrfField(frame)}
      ${idempotencyField()}
      ${radioField({ name: 'kind', label: 'Type', choices: kinds, value: 'deposit' }, refused)}
      <div class="field-pair">
        ${amountField(amount, refused)}
        ${textField({ ...memo, max: MEMO_MAX, isOptional: true }, refused)}
      </div>
      <p class="field-hint">
        A second person has to confirm it before it counts. To correct a confirmed entry, record the opposite.
      </p>
      <div class="form-actions"><button class="btn btn-primary" type="submit">Record</button></div>
    </form>
  </section>`;
}

interface Planning {
  people: CasePerson[];
  /** The categories that payments of the case can have. */
  categories: string[];
  refused: RefusedForm | undefined;
}

/** A new line of the calendar. */
export function scheduledPaymentForm(frame: Frame, caseId: number, { people, categories, ...view }: Planning): Html {
  const action = `/cases/${caseId}/scheduled-payments`;
  const refused = refusedAt(action, view.refused);
  const category = {
    caseId,
    categories,
    id: 'payment-category',
    hint: 'Payments of one category are listed together. We tell the case team when the last one is paid.',
  };
  const description = { id: 'payment-description', name: 'description', label: 'What it is for', max: DESCRIPTION_MAX };
  const amount = { id: 'payment-amount', name: 'amount', label: 'Amount in dollars' };
  const day = { id: 'payment-due', name: 'due_date', label: 'Due date', type: 'date' } as const;
  const payees = people.map(({ user_id, name, user_type }) => ({
    id: user_id,
    name: `${name}, ${userTypeInWords(user_type).toLowerCase()}`,
  }));
  const payee = { id: 'payment-payee', name: 'payee_id', label: 'Payee', choices: payees, none: 'The surrogate' };
  return html`<section aria-labelledby="plan">
    <h2 class="section-title" id="plan">Plan a payment</h2>
    <form class="panel edit-panel" method="post" action="${action}" data-busy-words="Adding…">
      ${csrfField(frame)}
      ${idempotencyField()}
      ${categoryField(category, refused)}
      ${textField({ ...description, isOptional: true }, refused)}
      <div class="field-pair">${amountField(amount, refused)}${textField(day, refused)}</div>
      ${selectField(payee, refused)}
      <div class="form-actions">
        <button class="btn btn-primary" type="submit">${icon('plus')}Add to schedule</button>
      </div>
    </form>
  </section>`;
}
