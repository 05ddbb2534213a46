import { randomUUID } from 'node:crypto';
import { html } from '@case-platform/lib/html';
import type { CaseOutline, CasePerson } from '@case-platform/modules/cases';
import { AMOUNT_FIELD_MAX, CATEGORY_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';

export interface DisbursementFields {
  amount: string;
  category: string;
  description: string;
  /** `user_type:user_id`. */
  payee: string;
}

interface DisbursementForm {
  outline: CaseOutline;
  people: CasePerson[];
  disbursementId?: number;
  fields?: DisbursementFields;
  problem?: string;
}

/** A new request for somebody of a case, or the correction of one. */
export function disbursementFormPage(frame: Frame, form: DisbursementForm): string {
  const { outline, disbursementId, fields, problem } = form;
  const isNew = disbursementId === undefined;
  const title = isNew ? 'New request' : `Edit request ${disbursementId}`;
  const back = isNew ? `/cases/${outline.id}` : `/disbursements/${disbursementId}`;
  const action = isNew ? `/cases/${outline.id}/disbursements` : `/disbursements/${disbursementId}`;
  const lead = isNew
    ? 'It becomes a draft, which is then sent to its approver.'
    : 'Another payee or amount takes a request that was sent back to a draft.';
  // The same form sent twice makes one request.
  const once = isNew ? html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">` : '';
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="${back}" aria-label="Back" title="Back">!${icon('arrow-left')}</a>
    <h1 class="page-title">${title}</h1>
    <p class="page-lead">${outline.name}. ${lead}</p>
  </header>
  !${problem === undefined ? '' : html`<div class="form-problem">!${notice('error', problem)}</div>`}
  <form class="panel edit-panel" method="post" action="${action}" data-busy-words="Saving…">!${csrfField(frame)}!${once}
    <label class="field"><span class="field-label">Amount in dollars</span><input class="input money" name="amount" value="${fields?.amount}" inputmode="decimal" maxlength="${AMOUNT_FIELD_MAX}" autocomplete="off" required></label>
    <label class="field"><span class="field-label">Kind of cost</span><span class="field-hint">For example travel, medical or childcare.</span><input class="input" name="category" value="${fields?.category}" maxlength="${CATEGORY_MAX}" required></label>
    <label class="field"><span class="field-label">What it is for</span><textarea class="textarea" name="description" rows="3" maxlength="${DESCRIPTION_MAX}" required>${fields?.description}</textarea></label>
    <label class="field"><span class="field-label">Payee</span><select class="select" name="payee" required><option value="">Choose a person</option>!${payees(form)}</select></label>
    <div class="form-actions"><button class="btn btn-primary" type="submit">${isNew ? 'Save draft' : 'Save changes'}</button><a class="btn btn-ghost" href="${back}">Back</a></div>
  </form>
</div>`;
  return shellPage(frame, { title, content });
}

function payees({ people, fields }: DisbursementForm): string[] {
  return people
    .filter(({ user_type }) => user_type !== 'admin')
    .map(({ name, user_type, user_id }) => {
      const value = `${user_type}:${user_id}`;
      const chosen = value === fields?.payee ? 'selected' : '';
      return html`<option value="${value}" !${chosen}>${name}, ${userTypeInWords(user_type).toLowerCase()}</option>`;
    });
}
