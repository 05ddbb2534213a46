import { type Html, html } from '@case-platform/lib/html';
import { selectField, typed } from './fields.ts';
import type { RefusedForm } from './refused-form.ts';

interface CategoryField {
  caseId: number;
  /** The case's list: what its contract limits, then `Other`. */
  categories: readonly string[];
  /** Unique on the page. */
  id?: string;
  hint?: string;
  /** The current value. A request may keep a category that is no longer on the list. */
  value?: string | undefined;
}

/** The choice of a category of the case (CATEGORY-1), and where the list comes from while only `Other` is on it. */
export function categoryField(
  { caseId, categories, value = '', ...field }: CategoryField,
  refused: RefusedForm | undefined,
): Html {
  const current = typed(refused, 'category', value);
  const all = current === '' || categories.includes(current) ? categories : [current, ...categories];
  const choices = all.map((category) => ({ id: category, name: category }));
  const choice = { name: 'category', label: 'Category', none: 'Choose a category', choices, isRequired: true, value };
  const limitsFirst = html`<p class="field-hint -mt-3 mb-4">
    Categories come from the contract. <a class="link" href="/cases/${caseId}#benefits">Add its contract limits</a> first, and
    they appear here.
  </p>`;
  return html`${selectField({ ...choice, ...field }, refused)}${categories.length > 1 ? '' : limitsFirst}`;
}
