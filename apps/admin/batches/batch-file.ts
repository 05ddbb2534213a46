import { type Html, html } from '@case-platform/lib/html';
import type { ExplainedRecord } from '@case-platform/modules/banking';
import { copyButton } from '../page/copy-button.ts';

/** A file record by record: each line in words and as it is, with account numbers masked. */
export function batchFile(records: ExplainedRecord[], sha256: string): Html {
  const rows = records.map(
    ({ line, title, words, text }) => html`<li class="file-record">
      <p class="file-record-title"><span class="quiet mono">${line}</span> ${title}</p>
      <p class="file-record-words">${words}</p>
      <pre class="file-record-text mono" tabindex="0" aria-label="Line ${line} as it stands in the file">${text}</pre>
    </li>`,
  );
  return html`<section aria-labelledby="file">
    <h2 class="section-title" id="file">Bank file, line by line</h2>
    <p class="quiet">Account numbers are hidden here. Signatures apply to the file with this fingerprint (SHA-256):</p>
    <p class="secret-line"><code class="mono" id="sha256">${sha256}</code>${copyButton('sha256')}</p>
    <ol class="panel">${rows}</ol>
  </section>`;
}
