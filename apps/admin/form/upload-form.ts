import { html } from '@case-platform/lib/html';
import { acceptedFiles, FILE_KINDS_IN_WORDS, sizeLimitWords } from '@case-platform/words/files';
import type { Frame } from '../page/frame.ts';
import { csrfField } from '../page/shell.ts';

interface Upload {
  /** Unique on the page. */
  id: string;
  label: string;
  /** What is asked for an address, and told that a file is there: this and `/upload-url`, `/confirm`. */
  path: string;
  /** The page that follows. */
  next: string;
  maxBytes: number;
}

/** Chooses files, or takes what is dropped on it, and sends them straight to the storage (public/uploads.js). */
export function uploadForm(frame: Frame, { id, label, path, next, maxBytes }: Upload): string {
  return html`<form class="upload-form" data-upload="${path}" data-next="${next}" hidden>!${csrfField(frame)}
  <label class="field-label" for="${id}">${label}</label>
  <input class="file-input" type="file" id="${id}" multiple accept="${acceptedFiles()}" aria-describedby="${id}-hint">
  <p class="field-hint" id="${id}-hint">${FILE_KINDS_IN_WORDS}, up to ${sizeLimitWords(maxBytes)} each. They can be dropped here, too.</p>
  <p class="quiet" role="status"></p><p class="field-error" role="alert"></p>
</form>
<p class="quiet" data-without-script>To add files here, scripts must be allowed.</p>`;
}
