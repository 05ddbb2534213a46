import { type Html, html } from '@case-platform/lib/html';
import type { CaseOutline, CasePerson } from '@case-platform/modules/cases';
import type { BenefitNow } from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { categoryField } from '../form/category-field.ts';
import { amountField, formNotices, selectField, textArea } from '../form/fields.ts';
import { idempotencyField } from '../form/idempotency-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField, shellPage } from '../page/shell.ts';

export interface DisbursementForm {
  outline: CaseOutline;
  people: CasePerson[];
  /** The case's contract limits: what is left of one is shown while the amount is typed. */
  benefits: BenefitNow[];
  /** The categories that requests of the case can have. */
  categories: string[];
  /** The disbursement that is changed; none for a new one. */
  disbursementId?: number;
  /** The form's values at first; `payee` as `user_type:user_id`. */
  values?: { amount: string; category: string; description: string; payee: string };
  refused?: RefusedForm;
}

/** The form for a new disbursement, or for editing one. */
export function disbursementFormPage(frame: Frame, form: DisbursementForm): Html {
  const { outline, people, benefits, categories, disbursementId, values, refused } = form;
  const isNew = disbursementId === undefined;
  const title = isNew ? 'New request' : `Edit request ${disbursementId}`;
  const back = isNew ? `/cases/${outline.id}` : `/disbursements/${disbursementId}`;
  const action = isNew ? `/cases/${outline.id}/disbursements` : `/disbursements/${disbursementId}`;
  const lead = isNew
    ? 'We’ll save it as a draft. You send it for approval next.'
    : 'If you change the payee or the amount, it needs approval again.';
  const payees = people
    .filter(({ user_type }) => user_type !== 'admin')
    .map(({ name, user_type, user_id }) => ({
      id: `${user_type}:${user_id}`,
      name: `${name}, ${userTypeInWords(user_type).toLowerCase()}`,
    }));
  const what = { name: 'description', label: 'What it is for', rows: 3, max: DESCRIPTION_MAX };
  const payee = { name: 'payee', label: 'Payee', choices: payees, none: 'Choose a person', isRequired: true };
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink(back, 'Back')}
      <h1 class="page-title">${title}</h1>
      <p class="page-lead">${outline.name}. ${lead}</p>
    </header>
    ${formNotices({ refused })}
    <form
      class="panel edit-panel"
      method="post"
      action="${action}"
      data-busy-words="Saving…"
      data-request="${frame.actor.user.id}-${isNew ? `new-${outline.id}` : disbursementId}"
      data-benefits="${JSON.stringify(benefits)}"
    >
      ${csrfField(frame)}
      ${isNew ? idempotencyField() : ''}
      ${amountField({ name: 'amount', label: 'Amount in dollars', value: values?.amount ?? '' }, refused)}
      ${categoryField({ caseId: outline.id, categories, value: values?.category }, refused)}
      <p class="benefit-left" id="benefit-left" role="status"></p>
      ${textArea({ ...what, value: values?.description ?? '' }, refused)}
      ${selectField({ ...payee, value: values?.payee ?? '' }, refused)}
      <div class="form-actions">
        <button class="btn btn-primary" type="submit">${isNew ? 'Save draft' : 'Save changes'}</button>
        <a class="btn btn-ghost" href="${back}">Cancel</a>
      </div>
      <p class="quiet draft-kept mt-3" hidden>
        What you typed is kept on this device. <button class="link" type="button" data-start-over>Start over</button>
      </p>
    </form>
  </div>`;
  return shellPage(frame, { title, content, scripts: ['request-form.js'] });
}
