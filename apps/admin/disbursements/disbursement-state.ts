import { html } from '@case-platform/lib/html';
import type { DisbursementStatus } from '@case-platform/modules/disbursements';
import { reasonInWords } from '@case-platform/words/bank-reasons';

const LOOKS: Record<DisbursementStatus, { words: string; look: string }> = {
  draft: { words: 'Draft', look: '' },
  submitted: { words: 'Waiting for approval', look: 'is-waiting' },
  approved: { words: 'Approved', look: 'is-active' },
  denied: { words: 'Denied', look: 'is-refused' },
  batched: { words: 'At the bank', look: 'is-active' },
  paid: { words: 'Paid', look: 'is-done' },
  returned: { words: 'Sent back', look: 'is-refused' },
  cancelled: { words: 'Cancelled', look: '' },
};

/** The state of a request in words. */
export function disbursementStateWords(status: DisbursementStatus): string {
  return LOOKS[status].words;
}

/** The state of a request as a pill. */
export function disbursementState(status: DisbursementStatus): string {
  return html`<span class="state-pill ${LOOKS[status].look}">${LOOKS[status].words}</span>`;
}

/** That the bank has sent a payment back, and why. */
export function sentBackWords(code: string): string {
  return html`<span class="state-pill is-refused">Sent back</span><span class="cell-note">${reasonInWords(code)} <span class="mono">${code}</span></span>`;
}
