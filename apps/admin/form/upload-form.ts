import { type Html, html } from '@case-platform/lib/html';
import { acceptedFiles, FILE_KINDS_IN_WORDS, sizeLimitWords } from '@case-platform/words/files';
import type { Frame } from '../page/frame.ts';
import { csrfField } from '../page/shell.ts';

interface Upload {
  /** Unique on the page. */
  id: string;
  label: string;
  /** The address whose `/upload-url` and `/confirm` the script calls. */
  path: string;
  /** The page to go to afterwards. */
  next: string;
  maxBytes: number;
}

/** A form for choosing or dropping files, which `uploads.js` sends straight to the storage. */
export function uploadForm(frame: Frame, { id, label, path, next, maxBytes }: Upload): Html {
  return html`<form class="upload-form" data-upload="${path}" data-next="${next}" hidden>
      ${csrfField(frame)}
      <label class="field-label" for="${id}">${label}</label>
      <input class="file-input" type="file" id="${id}" multiple accept="${acceptedFiles()}" aria-describedby="${id}-hint">
      <p class="field-hint" id="${id}-hint">
        ${FILE_KINDS_IN_WORDS}, up to ${sizeLimitWords(maxBytes)} each. You can also drop files here.
      </p>
      <p class="quiet" role="status"></p>
      <p class="field-error" role="alert"></p>
    </form>
    <p class="quiet" data-without-script>To add files, allow scripts in your browser.</p>`;
}
