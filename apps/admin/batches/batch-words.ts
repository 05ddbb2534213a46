import { type Html, html } from '@case-platform/lib/html';
import { type BatchStatus, type BatchSummary, SIGNATURES_NEEDED } from '@case-platform/modules/banking';

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

/** The state of a batch as a pill, where only its status is known. */
export function batchState(status: BatchStatus): Html {
  return pill(LOOKS[status]);
}

/** The state of a batch as a pill, with its signatures and with what blocks it (BATCH-10). */
export function batchPill({ status, is_blocked, signatures }: Pick<BatchSummary, 'status' | 'is_blocked' | 'signatures'>): Html {
  if (is_blocked) return pill({ words: 'Blocked', look: 'is-refused' });
  if (status !== 'generated' || signatures === 0) return batchState(status);
  const isReady = signatures >= SIGNATURES_NEEDED;
  const words = isReady ? 'Ready to send' : `Signed ${signatures} of ${SIGNATURES_NEEDED}`;
  return pill({ words, look: isReady ? 'is-waiting' : 'is-active' });
}

function pill({ words, look }: { words: string; look: string }): Html {
  return html`<span class="state-pill ${look}">${words}</span>`;
}
