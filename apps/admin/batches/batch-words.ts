import { type Html, html } from '@case-platform/lib/html';
import { type BatchStatus, type BatchSummary, SIGNATURES_NEEDED } from '@case-platform/modules/banking';
import type { Frame } from '../page/frame.ts';
import { arrivalElement } from '../page/times.ts';

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

/** The day on which the money of a batch arrives; null while it is blocked (BATCH-10), and after it was cancelled. */
export function batchDay({ clock }: Frame, batch: Pick<BatchSummary, 'status' | 'is_blocked' | 'effective_date'>): Html | null {
  const { status, is_blocked, effective_date } = batch;
  return effective_date === null || is_blocked || status === 'cancelled' ? null : arrivalElement(effective_date, clock);
}

const VERBS: Partial<Record<BatchStatus, string>> = { transmitted: 'arrives', settled: 'arrived' };

/** The same with its verb: it should arrive until the bank has the file. */
export function batchArrival(frame: Frame, batch: Pick<BatchSummary, 'status' | 'is_blocked' | 'effective_date'>): Html | null {
  const day = batchDay(frame, batch);
  return day && html`${VERBS[batch.status] ?? 'should arrive'} ${day}`;
}

function pill({ words, look }: { words: string; look: string }): Html {
  return html`<span class="state-pill ${look}">${words}</span>`;
}
