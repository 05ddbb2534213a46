import { type Html, html } from '@case-platform/lib/html';
import { PASSWORD_MAX } from '@case-platform/words/limits';
import { icon } from '../page/icons.ts';
import { fieldAttributes, fieldError } from './fields.ts';
import type { RefusedForm } from './refused-form.ts';

interface PasswordField {
  name: string;
  label: string;
  autocomplete: 'current-password' | 'new-password';
  hint?: string;
  minLength?: number;
}

/** A password with a button that shows what was typed. A refused form comes back without it. */
export function passwordField(
  { name, label, autocomplete, hint = '', minLength }: PasswordField,
  refused: RefusedForm | undefined,
): Html {
  const min = minLength === undefined ? '' : html`minlength="${minLength}"`;
  return html`<div class="field">
    <label class="field-label" for="${name}">${label}</label>
    <span class="password-box">
      <input
        class="input"
        type="password"
        ${fieldAttributes({ name, hint }, refused)}
        autocomplete="${autocomplete}"
        required
        maxlength="${PASSWORD_MAX}"
        ${min}
      >
      <button type="button" class="btn btn-ghost btn-sm" data-show-password="${name}" aria-pressed="false" hidden>
        ${icon('eye')}
        <span>Show</span>
      </button>
    </span>
    ${hint === '' ? '' : html`<span class="field-hint" id="${name}-hint">${hint}</span>`}
    ${fieldError(name, refused)}
  </div>`;
}
