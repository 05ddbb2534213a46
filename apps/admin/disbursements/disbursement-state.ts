import { html } from '@case-platform/lib/html';
import type { DisbursementStatus } from '@case-platform/modules/disbursements';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { disbursementStateInWords } from '@case-platform/words/disbursement-states';

/** The state of a disbursement in words. */
export function disbursementStateWords(status: DisbursementStatus): string {
  return disbursementStateInWords(status).words;
}

/** The state of a disbursement as a pill. */
export function disbursementState(status: DisbursementStatus): string {
  const { words, mark } = disbursementStateInWords(status);
  return html`<span class="state-pill ${mark}">${words}</span>`;
}

/** Says that the bank returned a payment, and why. */
export function sentBackWords(code: string): string {
  return html`<span class="state-pill is-refused">Sent back</span><span class="cell-note">${reasonInWords(code)} <span class="mono">${code}</span></span>`;
}
