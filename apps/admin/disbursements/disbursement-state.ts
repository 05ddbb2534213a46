import { html } from '@case-platform/lib/html';
import type { DisbursementStatus } from '@case-platform/modules/disbursements';
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
