import { type Html, html } from '@case-platform/lib/html';
import { BACKUP_CODE_FIELD_MAX } from '@case-platform/words/limits';
import { fieldAttributes, fieldError, typed } from './fields.ts';
import type { RefusedForm } from './refused-form.ts';

/**
 * Six boxes for six digits. They are drawn behind one field, so that pasting, autofill, correcting and screen readers work
 * as in any other field, also without script.
 */
export function codeField(anyRefused: RefusedForm | undefined): Html {
  const refused = isBackupCode(anyRefused) ? undefined : anyRefused;
  const boxes = Array.from({ length: 6 }, () => html`<span class="code-box"></span>`);
  const isWrong = refused?.errors.code !== undefined;
  return html`<div class="field">
    <label class="field-label" for="code">Six-digit code</label>
    <div class="code-line">
      <span class="code-field code-input" data-code-field aria-invalid="${String(isWrong)}">
        ${boxes}
        <input
          class="code-text"
          ${fieldAttributes({ name: 'code' }, refused)}
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9 ]*"
          maxlength="12"
          required
          ${isWrong ? '' : 'autofocus'}
          title="Six digits"
        >
      </span>
    </div>
    ${fieldError('code', refused)}
  </div>`;
}

/** The field for one of the ten codes that are kept for a lost phone. */
export function backupCodeField(anyRefused: RefusedForm | undefined): Html {
  const refused = isBackupCode(anyRefused) ? anyRefused : undefined;
  const hint = 'Each of your ten codes works once.';
  return html`<div class="field">
    <label class="field-label" for="backup-code">Backup code</label>
    <input
      class="input mono"
      ${fieldAttributes({ id: 'backup-code', name: 'code', hint }, refused)}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      required
      maxlength="${BACKUP_CODE_FIELD_MAX}"
      pattern="\s*[A-Za-z0-9]{5}[\s\-]*[A-Za-z0-9]{5}\s*"
      title="Ten letters and digits"
      placeholder="abcde-23456"
    >
    <span class="field-hint" id="backup-code-hint">${hint}</span>
    ${fieldError('code', refused, 'backup-code')}
  </div>`;
}

/** Both fields send the same name; a backup code is the longer one. */
export function isBackupCode(refused: RefusedForm | undefined): boolean {
  return typed(refused, 'code').replaceAll(/\s/g, '').length > 6;
}
