import { type Html, html } from '@case-platform/lib/html';
import type { BatchStatus } from '@case-platform/modules/banking';

const LOOKS: Record<BatchStatus, { words: string; look: string }> = {
  draft: { words: 'Waiting for approval', look: 'is-waiting' },
  approved: { words: 'Approved', look: 'is-active' },
  generated: { words: 'Waiting for signatures', look: 'is-active' },
  outcome_unknown: { words: 'Not confirmed yet', look: 'is-waiting' },
  transmitted: { words: 'At the bank', look: 'is-active' },
  settled: { words: 'Paid', look: 'is-done' },
  cancelled: { words: 'Cancelled', look: '' },
};

/** The state of a batch in words. */
export function batchStateWords(status: BatchStatus): string {
  return LOOKS[status].words;
}

/** The state of a batch as a pill. */
export function batchState(status: BatchStatus): Html {
  return html`<span class="state-pill ${LOOKS[status].look}">${LOOKS[status].words}</span>`;
}
