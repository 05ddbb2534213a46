import { type Html, html } from '@case-platform/lib/html';
import { reasonInWords } from '@case-platform/words/bank-reasons';

/** Says that the bank returned a payment, and why. */
export function sentBackWords(code: string): Html {
  return html`<span class="state-pill is-refused">Sent back</span>
    <span class="cell-note">${reasonInWords(code)} <span class="mono">${code}</span></span>`;
}
