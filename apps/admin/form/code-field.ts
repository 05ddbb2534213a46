import { html } from '@case-platform/lib/html';
import { BACKUP_CODE_FIELD_MAX } from '@case-platform/words/limits';

/**
 * Six boxes for six digits. They are drawn behind one field, so that pasting, autofill, correcting and screen readers work
 * as in any other field, also without script.
 */
export function codeField({ hint = '', invalid = false }: { hint?: string; invalid?: boolean } = {}): string {
  const boxes = Array.from({ length: 6 }, () => '<span class="code-box"></span>');
  return html`<div class="field"><label class="field-label" for="code">Code of six digits</label>
  <div class="code-line"><span class="code-field code-input" data-code-field aria-invalid="${invalid}">
    !${boxes}
    <input class="code-text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="12" required autofocus aria-invalid="${invalid}" title="Six digits">
  </span></div>
  !${hint === '' ? '' : html`<span class="field-hint">${hint}</span>`}
</div>`;
}

/** The field for one of the ten codes that are kept for a lost phone. */
export function backupCodeField(): string {
  return html`<label class="field"><span class="field-label">Backup code</span>
  <input class="input mono" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="${BACKUP_CODE_FIELD_MAX}" pattern="\s*[A-Za-z0-9]{5}[\s\-]*[A-Za-z0-9]{5}\s*" title="Ten letters and digits" placeholder="abcde-23456">
  <span class="field-hint">Each of the ten codes works once.</span>
</label>`;
}
