import { type Html, html } from '@case-platform/lib/html';
import { reasonInWords } from '@case-platform/words/bank-reasons';

/** Says that the bank returned a payment, and why. */
export function sentBackWords(code: string): Html {
  return html`<span class="state-pill is-refused">Sent back</span>
    <span class="cell-note">${reasonInWords(code)} <span class="mono">${code}</span></span>`;
}

/** Lists what the bank sent about a payment that changed nothing, such as the rejection of a return (RETURN-9). */
export function notedWords(codes: readonly string[]): Html {
  return html`${codes.map(
    (code) => html`<span class="cell-note">
      From the bank: ${reasonInWords(code)} <span class="mono">${code}</span> Nothing changed. Ask the bank what it means for us.
    </span>`,
  )}`;
}
