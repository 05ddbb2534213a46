import { type Html, html } from '@case-platform/lib/html';
import { BENEFIT_PERIODS, type BenefitNow } from '@case-platform/modules/disbursements';
import { capWords, leftWords, useWords } from '@case-platform/words/benefits';
import { CATEGORY_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { dollarsField } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { amountField, chosen, refusedAt, selectField, textArea, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';

interface CaseBenefits {
  benefits: BenefitNow[];
  /** Whether the reader may set them. */
  mayEdit: boolean;
  refused: RefusedForm | undefined;
}

/** A case's contract limits by category, with what is left of each, and the forms that set them. */
export function caseBenefits(frame: Frame, caseId: number, { benefits, mayEdit, refused }: CaseBenefits): Html {
  if (benefits.length === 0 && !mayEdit) return html``;
  const folds = benefits.map((one, at) => benefitFold(one, mayEdit ? changing(frame, caseId, { one, at, refused }) : NO_FORM));
  const list =
    folds.length === 0
      ? html`<p class="quiet">
        No contract limits yet. Add what the contract allows: requests and scheduled payments choose their category from this
        list, and show how much is left.
      </p>`
      : html`<div class="panel">${folds}</div>`;
  return html`<section aria-labelledby="benefits">
    <h2 class="section-title" id="benefits">Contract limits</h2>
    ${list}
    ${mayEdit ? adding(frame, caseId, refused) : ''}
  </section>`;
}

const NO_FORM = { isRefused: false, form: html`` };

/** One contract limit: what is left of it, and unfolded what the contract says about it, with the form. */
function benefitFold(benefit: BenefitNow, { isRefused, form }: typeof NO_FORM): Html {
  const { category, note, cap_cents, used_cents, held_cents, compensation } = benefit;
  const taken = used_cents + held_cents;
  const isOver = taken > cap_cents;
  const summary = html`<span class="fold-name">${sentence(category)}</span><span class="fold-note">${capWords(benefit)}</span>
    <span class="fold-end ${isOver ? 'is-over' : ''}">${leftWords(benefit)}</span>
    <meter
      class="benefit-meter ${isOver ? 'is-over' : ''}"
      min="0"
      max="${cap_cents}"
      value="${Math.min(taken, cap_cents)}"
      aria-label="${useWords(benefit)}"
    ></meter>`;
  const inside = html`<p class="quiet">${useWords(benefit)}.${compensation ? ' Compensation.' : ''}</p>
    ${note === '' ? '' : html`<p class="benefit-note">${note}</p>`}
    ${form}`;
  return html`<details class="fold benefit" ${isRefused ? 'open' : ''}>
    <summary>${summary}</summary>
    <div class="fold-inside">${inside}</div>
  </details>`;
}

function changing(
  frame: Frame,
  caseId: number,
  { one, at, refused: any }: { one: BenefitNow; at: number; refused: RefusedForm | undefined },
): typeof NO_FORM {
  const action = `/cases/${caseId}/benefits/change`;
  // Each benefit has such a form: the category says which of them was refused.
  const refused = any?.values.category === one.category ? refusedAt(action, any) : undefined;
  const remove = confirmDialog(frame, {
    id: `remove-benefit-${at}`,
    button: 'Remove',
    yes: 'Remove it',
    no: 'Cancel',
    look: 'btn btn-sm btn-ghost',
    title: `Remove the contract limit for ${one.category}?`,
    text: `Past payments don’t change. New requests can no longer choose ${one.category}.`,
    action: `/cases/${caseId}/benefits/remove`,
    fields: { category: one.category },
  });
  const form = html`<details class="more-ways benefit-form" ${refused === undefined ? '' : 'open'}>
    <summary>Change</summary>
    <form method="post" action="${action}" data-busy-words="Saving…">
      ${csrfField(frame)}
      <input type="hidden" name="category" value="${one.category}">
      ${fields(`benefit-${at}`, one, refused)}
      <div class="form-actions"><button class="btn btn-sm btn-primary" type="submit">Save</button></div>
    </form>
    ${remove}
  </details>`;
  return { isRefused: refused !== undefined, form };
}

function adding(frame: Frame, caseId: number, any: RefusedForm | undefined): Html {
  const action = `/cases/${caseId}/benefits`;
  const refused = refusedAt(action, any);
  const category = {
    id: 'benefit-category',
    name: 'category',
    label: 'Category',
    max: CATEGORY_MAX,
    hint: 'As the contract names it, such as Travel. Requests choose from these names.',
  };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Add a contract limit</summary>
    <form class="panel edit-panel" method="post" action="${action}" data-busy-words="Adding…">
      ${csrfField(frame)}
      ${textField(category, refused)}
      ${fields('benefit', undefined, refused)}
      <button class="btn btn-primary" type="submit">${icon('plus')}Add contract limit</button>
    </form>
  </details>`;
}

const PERIOD_NAMES = { case: 'Over the whole case', month: 'Each month' };

function fields(id: string, one: BenefitNow | undefined, refused: RefusedForm | undefined): Html {
  const cap = { id: `${id}-cap`, name: 'cap', label: 'Up to, in dollars' };
  const value = one === undefined ? '' : dollarsField(one.cap_cents);
  const periods = BENEFIT_PERIODS.map((period) => ({ id: period, name: PERIOD_NAMES[period] }));
  const period = {
    id: `${id}-period`,
    name: 'period',
    label: 'Period',
    choices: periods,
    value: one?.period ?? 'case',
  };
  const note = {
    id: `${id}-note`,
    name: 'note',
    label: 'Note',
    rows: 2,
    max: DESCRIPTION_MAX,
    value: one?.note ?? '',
    hint: 'Everyone on the case can see this.',
  };
  const isTicked = refused === undefined ? one?.compensation === true : chosen(refused, 'compensation')?.includes('yes') === true;
  return html`<div class="field-pair">${amountField({ ...cap, value }, refused)}${selectField(period, refused)}</div>
    ${textArea({ ...note, isOptional: true }, refused)}
    <label class="check-line">
      <input class="checkbox" type="checkbox" name="compensation" value="yes" ${isTicked ? 'checked' : ''}>
      <span>Compensation, which bank files mark as PAYROLL</span>
    </label>`;
}
