import { html } from '@case-platform/lib/html';
import type { FormProblem } from '../people/user-form.ts';

interface FormField {
  /** Unique on the page; the name that the form sends. */
  id: string;
  name: string;
  label: string;
  hint?: string;
  /** Of the tag's own, escaped already. */
  control: (marks: string) => string;
}

/** A field with its label, its hint, and what is wrong with it right beside it. */
export function formField(
  { id, name, label, hint = '', control }: FormField,
  problem: FormProblem | undefined,
): string {
  const error = problem?.fields[name];
  const described = [hint === '' ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean);
  const marks = [
    html`id="${id}" name="${name}"`,
    // The first of them is gone to: the page may be long, and the reason stands there.
    error === undefined ? '' : 'aria-invalid="true" autofocus',
    described.length === 0 ? '' : html`aria-describedby="${described.join(' ')}"`,
  ].join(' ');
  return html`<div class="field"><label class="field-label" for="${id}">${label}</label>
  !${hint === '' ? '' : html`<span class="field-hint" id="${id}-hint">${hint}</span>`}
  !${control(marks)}
  !${error === undefined ? '' : html`<span class="field-error" id="${id}-error">${error}</span>`}
</div>`;
}
